// The view of a sound: its spectrogram, a rectangle in it, notes, and playback with a moving line.
//
// Python decides what is shown (sound_page.py): it calls `opened`, `changed` and `say`. Times are in
// seconds, frequencies in Hz. The levels come as a grey picture, which is coloured here.

import exchange from "exchange";

const NAMES = ["C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B"];
// From silent to loud: red, green and blue.
const COLOURS = [[0, 0, 8], [60, 15, 110], [150, 45, 125], [225, 80, 95], [252, 160, 110], [252, 253, 190]];
const KEY_SECONDS = 0.02; // of the sound's length, for an arrow key

function colour(grey) {
  const place = (grey / 255) * (COLOURS.length - 1);
  const [low, part] = [Math.min(Math.floor(place), COLOURS.length - 2), place % 1];
  const share = place === COLOURS.length - 1 ? 1 : part;
  return COLOURS[low].map((from, n) => from + (COLOURS[low + 1][n] - from) * share);
}

function note_of(hz) {
  const midi = Math.round(69 + 12 * Math.log2(hz / 440));
  return midi < 0 ? "" : `${NAMES[midi % 12]}${Math.floor(midi / 12) - 1}`;
}

export default {
  mixins: [exchange],
  place: "sound-tab",
  template: `
    <div class="lab-views" @dragover.prevent @drop.prevent="drop">
      <p class="lab-alert" role="alert" v-show="alert">{{ alert }}</p>
      <div class="lab-bar">
        <label class="lab-button">Open a sound
          <input type="file" class="lab-file lab-sound-file" @change="choose('open', $event)"
                 accept="audio/*,.wav,.flac,.ogg,.aiff" aria-label="Open a sound"></label>
        <span class="lab-name">{{ name }}</span><span class="lab-words">{{ words }}</span>
        <span aria-hidden="true">{{ isBusy ? "…" : "" }}</span>
      </div>
      <canvas ref="canvas" class="lab-levels" tabindex="0" role="img"
              aria-label="Spectrogram. Arrow keys move the playing line, the space bar plays, Delete erases the rectangle, Escape removes it."
              @pointerdown="down" @pointermove="move" @pointerup="up" @pointercancel="up"
              @pointerleave="readout = ''" @keydown="key"></canvas>
      <output class="lab-readout">{{ readout || shown_rectangle || "Point at the spectrogram to read it; drag to draw a rectangle." }}</output>
      <div class="lab-bar">
        <button type="button" class="lab-play" @click="toggle" :disabled="!name">{{ isPlaying ? "Pause" : "Play" }}</button>
        <label><input type="checkbox" class="lab-notes" v-model="hasNotes" @change="find_notes" :disabled="!name"> Notes</label>
        <button type="button" class="lab-play-part" @click="play_part" :disabled="!rectangle">Play the rectangle</button>
        <button type="button" class="lab-export" @click="download('part?' + range())" :disabled="!rectangle">Export the rectangle</button>
        <button type="button" class="lab-erase" @click="edit('-inf')" :disabled="!rectangle || isChanging">Erase</button>
        <label>Gain, dB <input type="number" class="lab-gain" min="-60" max="60" step="1" v-model.number="gain"></label>
        <button type="button" class="lab-boost" @click="edit(gain)" :disabled="!rectangle || isChanging">Apply the gain</button>
        <button type="button" class="lab-undo" @click="post('undo')" :disabled="!edits || isChanging">Undo</button>
        <button type="button" @click="forget" :disabled="!rectangle">Remove the rectangle</button>
      </div>
      <div class="lab-bar" role="group" aria-label="Numbers of the rectangle">
        <label v-for="(label, each) in fields" :key="each">{{ label }}
          <input type="number" min="0" step="any" :class="'lab-field-' + each" :disabled="!name"
                 :value="rectangle ? Number(rectangle[each].toFixed(3)) : ''" @change="type(each, $event)"></label>
      </div>
      <div class="lab-bar">
        <label class="lab-button">Put it into a room
          <input type="file" class="lab-file lab-room-file" @change="choose('room', $event)" :disabled="!name"
                 accept="audio/*,.wav,.flac" aria-label="Open a room's impulse response"></label>
        <button type="button" class="lab-dry" @click="post('dry')" :disabled="!isWet || isChanging">Without the room</button>
        <button type="button" class="lab-save" @click="download('whole')" :disabled="!name">Save</button>
        <span role="status">{{ status }}</span>
      </div>
    </div>`,
  props: { tab: String, maxBytes: Number },
  data() {
    return {
      name: "", words: "", readout: "", isWet: false, isPlaying: false, hasNotes: false,
      rectangle: null, gain: 6, edits: 0,
      fields: { start: "From, s", end: "to, s", low: "from, Hz", high: "to, Hz" },
    };
  },
  computed: {
    shown_rectangle() {
      const box = this.rectangle;
      if (!box) return "";
      return `rectangle: ${box.start.toFixed(3)} to ${box.end.toFixed(3)} s, ${box.low.toFixed(0)} to ${box.high.toFixed(0)} Hz`;
    },
  },
  created() {
    this.axes = { seconds: 1, edges: [0, 1], db: 80 };
    this.levels = null; // the coloured picture, and its grey values
    this.greys = null;
    this.notes = [];
    this.from = null;
    this.audio = new Audio();
    this.loaded = ""; // what the audio element holds
    this.audio.addEventListener("ended", () => (this.isPlaying = false));
  },
  mounted() {
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.$refs.canvas);
  },
  unmounted() {
    this.observer.disconnect();
    this.stop();
  },
  methods: {
    // --- what Python calls ---------------------------------------------------------------------
    async opened(info) {
      this.stop();
      this.notes = [];
      this.loaded = "";
      const { name, words, isWet, edits } = info;
      Object.assign(this, { name, words, isWet, edits, alert: "" });
      if (info.isNew) this.rectangle = null;
      await this.changed(info.version);
      if (this.hasNotes) this.find_notes();
    },
    changed(version) {
      return this.follow(version, async (asked) => {
        const axes = await this.ask(`axes?v=${asked}`);
        const answer = axes && (await this.ask(`levels?v=${asked}`));
        if (!answer) return 0;
        this.axes = await axes.json();
        this.paint(await createImageBitmap(await answer.blob()));
        return asked;
      });
    },

    // --- the rectangle -------------------------------------------------------------------------
    edit(gain) {
      if (this.rectangle && !this.isChanging) this.post(`edit?${this.range()}&gain=${gain}`);
    },

    // --- playback ------------------------------------------------------------------------------
    async load(what) {
      if (this.loaded === what) return true;
      const answer = await this.ask(what);
      if (!answer) return false;
      const blob = new Blob([await answer.arrayBuffer()], { type: "audio/wav" });
      URL.revokeObjectURL(this.audio.src);
      this.audio.src = URL.createObjectURL(blob);
      this.loaded = what;
      return true;
    },
    stop() {
      this.audio.pause();
      this.isPlaying = false;
    },
    async play(what, offset) {
      this.stop();
      const isNew = this.loaded !== what;
      if (!(await this.load(what))) return;
      this.offset = offset;
      if (isNew || this.audio.ended) this.audio.currentTime = 0;
      try {
        await this.audio.play();
      } catch {
        this.alert = "This browser does not play the sound: save it, and play it elsewhere.";
        return;
      }
      this.isPlaying = true;
      const follow = () => {
        this.draw();
        if (this.isPlaying) requestAnimationFrame(follow);
      };
      follow();
    },
    toggle() {
      if (this.isPlaying) this.stop();
      else this.play("whole", 0);
    },
    play_part() {
      this.play(`part?${this.range()}`, this.rectangle.start);
    },
    range() {
      return new URLSearchParams(this.rectangle || {}).toString();
    },
    async find_notes() {
      this.notes = [];
      if (this.hasNotes) {
        const answer = await this.ask("notes");
        this.notes = answer ? await answer.json() : [];
        if (answer) this.status = `${this.notes.length} notes`;
      }
      this.draw();
    },

    // --- places --------------------------------------------------------------------------------
    row_of(hz) {
      // The row of a frequency, from 0 at the lowest: edges rise.
      const { edges } = this.axes;
      let [low, high] = [0, edges.length - 1];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (edges[middle] <= hz) low = middle;
        else high = middle;
      }
      return low + Math.min(Math.max((hz - edges[low]) / (edges[high] - edges[low]), 0), 1);
    },
    place(event) {
      // The time and the frequency under the pointer.
      const box = this.$refs.canvas.getBoundingClientRect();
      const inside = (part) => Math.min(Math.max(part, 0), 1);
      const x = inside((event.clientX - box.left) / box.width);
      const rows = this.axes.edges.length - 1;
      const row = inside(1 - (event.clientY - box.top) / box.height) * rows;
      const low = Math.min(Math.floor(row), rows - 1);
      const [from, to] = [this.axes.edges[low], this.axes.edges[low + 1]];
      return { time: x * this.axes.seconds, hz: from + (to - from) * (row - low), x, row: low };
    },
    read({ time, hz, x, row }) {
      const { width, data } = this.greys;
      const column = Math.min(Math.floor(x * width), width - 1);
      const grey = data[4 * ((this.axes.edges.length - 2 - row) * width + column)];
      const level = (grey / 255 - 1) * this.axes.db;
      const bound = grey ? "" : "at most ";
      this.readout = `${time.toFixed(3)} s, ${hz.toFixed(1)} Hz, ${note_of(hz)}, ${bound}${level.toFixed(1)} dB`;
    },

    // --- pointer and keys ----------------------------------------------------------------------
    down(event) {
      if (!this.levels || event.button > 0) return;
      this.$refs.canvas.setPointerCapture(event.pointerId);
      this.from = this.place(event);
    },
    move(event) {
      if (!this.levels) return;
      const here = this.place(event);
      this.read(here);
      if (!this.from) return;
      const [start, end] = [this.from.time, here.time].sort((a, b) => a - b);
      const [low, high] = [this.from.hz, here.hz].sort((a, b) => a - b);
      this.rectangle = end > start && high > low ? { start, end, low, high } : null;
      this.draw();
    },
    up() {
      this.from = null;
      this.draw();
    },
    type(field, event) {
      const top = this.axes.edges[this.axes.edges.length - 1];
      const whole = { start: 0, end: this.axes.seconds, low: 0, high: top };
      const value = Number(event.target.value);
      if (!(value >= 0)) return;
      this.rectangle = { ...whole, ...this.rectangle, [field]: value };
      this.draw();
    },
    forget() {
      this.rectangle = null;
      this.draw();
    },
    key(event) {
      const steps = { ArrowLeft: -1, ArrowRight: 1 };
      if (event.ctrlKey || event.metaKey || event.altKey || !this.name) return;
      if (steps[event.key]) {
        const time = this.audio.currentTime + steps[event.key] * KEY_SECONDS * this.axes.seconds;
        if (this.loaded) this.audio.currentTime = Math.min(Math.max(time, 0), this.axes.seconds);
        this.draw();
      } else if (event.key === " ") this.toggle();
      else if (event.key === "Escape") this.forget();
      else if (event.key === "Delete") this.edit("-inf");
      else return;
      event.preventDefault();
    },

    // --- drawing -------------------------------------------------------------------------------
    paint(bitmap) {
      const canvas = Object.assign(document.createElement("canvas"), { width: bitmap.width, height: bitmap.height });
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(bitmap, 0, 0);
      this.greys = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const table = Array.from({ length: 256 }, (_, grey) => colour(grey));
      const coloured = new ImageData(bitmap.width, bitmap.height);
      for (let n = 0; n < coloured.data.length; n += 4) {
        coloured.data.set(table[this.greys.data[n]], n);
        coloured.data[n + 3] = 255;
      }
      context.putImageData(coloured, 0, 0);
      this.levels = canvas;
    },
    draw() {
      if (this.frameAsked) return;
      this.frameAsked = requestAnimationFrame(() => {
        this.frameAsked = 0;
        if (this.$el.isConnected) this.draw_now();
      });
    },
    draw_now() {
      const canvas = this.$refs.canvas;
      const ratio = window.devicePixelRatio || 1;
      const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.round(n * ratio));
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      const context = canvas.getContext("2d");
      context.clearRect(0, 0, width, height);
      if (!this.levels) return;
      context.drawImage(this.levels, 0, 0, width, height);
      const rows = this.axes.edges.length - 1;
      const across = (time) => (time / this.axes.seconds) * width;
      const down = (hz) => (1 - this.row_of(hz) / rows) * height;
      context.lineWidth = ratio;
      context.font = `${12 * ratio}px sans-serif`;
      context.fillStyle = "rgba(255, 255, 255, 0.85)";
      for (const part of [0.02, 0.25, 0.5, 0.75, 0.97]) {
        const hz = this.axes.edges[Math.round(part * rows)];
        context.fillText(`${hz < 1000 ? hz.toFixed(0) : (hz / 1000).toFixed(1) + "k"} Hz`, 4 * ratio, (1 - part) * height + 4 * ratio);
      }
      for (const note of this.notes) {
        const y = down(note.hz);
        context.strokeStyle = "rgb(90, 255, 160)";
        context.strokeRect(across(note.onset), y - 3 * ratio, Math.max(across(note.duration), 2), 6 * ratio);
        context.fillStyle = "rgb(90, 255, 160)";
        context.fillText(note.name, across(note.onset), y - 5 * ratio);
      }
      if (this.rectangle) {
        const { start, end, low, high } = this.rectangle;
        context.strokeStyle = "white";
        context.setLineDash([4 * ratio, 3 * ratio]);
        context.strokeRect(across(start), down(high), across(end - start), down(low) - down(high));
        context.setLineDash([]);
      }
      if (this.loaded) {
        context.fillStyle = "rgb(255, 255, 255)";
        context.fillRect(across((this.offset || 0) + this.audio.currentTime) - ratio / 2, 0, 1.5 * ratio, height);
      }
    },
  },
};
