"""Which parameters a kernel gets on a device, and where that knowledge comes from."""
