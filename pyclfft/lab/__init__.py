"""The lab: a page in the browser to play with spectra of images and sounds.

It is served by this machine to this machine. `guard` says who may come in, `server` what is served,
`page` what the page shows, `tabs` what is remembered of each of the browser's tabs.
"""
