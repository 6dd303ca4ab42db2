// What both views exchange with the server: requests, whose errors become the message on the page,
// files that go up and come down, and results, one request at a time.
//
// A view mixes this in. Its option `place` is the first part of the addresses that it asks for; it
// has the properties `tab` and `maxBytes`, and a method `draw`.

export default {
  data() {
    return { alert: "", status: "", isBusy: false, isChanging: false };
  },
  created() {
    this.wanted = this.shown = 0; // versions of the tab's state
  },
  methods: {
    say(words) {
      this.alert = words;
    },

    // --- requests --------------------------------------------------------------------------------
    async ask(path, options) {
      let answer;
      try {
        answer = await fetch(`${this.$options.place}/${this.tab}/${path}`, options);
      } catch {
        this.alert = "The lab does not answer: see whether pyclfft lab still runs.";
        return null;
      }
      if (answer.ok) return answer;
      const words = await answer.text();
      try {
        this.alert = JSON.parse(words).error;
      } catch {
        this.alert = words.slice(0, 300) || `The lab has failed (${answer.status}).`;
      }
      return null;
    },
    async post(path, body) {
      this.isChanging = true;
      await this.ask(path, { method: "POST", body });
      this.isChanging = false;
    },
    async follow(version, show) {
      // Show the newest version: what has changed meanwhile is asked for once, as it is then.
      // `show` returns the version that it has shown, or 0 after an error.
      this.wanted = version;
      if (this.isBusy) return;
      this.isBusy = true;
      try {
        while (this.shown !== this.wanted) {
          const asked = this.wanted;
          const shown = await this.shown_or_said(show, asked);
          this.shown = Math.max(asked, shown);
          this.wanted = Math.max(this.wanted, this.shown);
          if (shown) this.alert = "";
          this.draw();
          if (shown) this.$el.dataset.shown = this.shown;
          if (shown) this.$el.dispatchEvent(new CustomEvent("lab-result", { detail: this.shown }));
        }
      } finally {
        this.isBusy = false; // whatever happens, the next change is shown
      }
    },
    async shown_or_said(show, asked) {
      // A download may break off, and the browser may have no room for a picture.
      try {
        return await show(asked);
      } catch (error) {
        console.warn(error);
        this.alert = "The result has not arrived: change a control, and the page asks for it again.";
        return 0;
      }
    },

    // --- files -----------------------------------------------------------------------------------
    choose(what, event) {
      if (event.target.files.length) this.send(what, event.target.files[0]);
      event.target.value = "";
    },
    drop(event) {
      if (event.dataTransfer.files.length) this.send("open", event.dataTransfer.files[0]);
    },
    async send(what, file) {
      this.alert = "";
      if (file.size > this.maxBytes) {
        this.alert = `${file.name} has more than ${this.maxBytes / 2 ** 20} MiB: make it smaller first.`;
        return;
      }
      await this.post(`${what}?name=${encodeURIComponent(file.name)}`, file);
    },
    async download(what) {
      const answer = await this.ask(what);
      if (!answer) return;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await answer.blob());
      link.download = decodeURIComponent(answer.headers.get("X-Name"));
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      this.status = `${link.download} is downloaded`;
    },
  },
};
