// The three views of an image: itself, its spectrum and the filter's result, with the brush.
//
// Python decides what is shown (page.py): it calls the methods `opened`, `changed` and `say`. What
// is under the pointer, zoom, pan and the brush's strokes live here. Places are (x, y) from 0 to 1
// across an image, which all three views share; frequencies are bins from DC.

import exchange from "exchange";

const ERASED = "rgb(255, 70, 70)";
const STOPPED = "rgb(255, 190, 60)"; // cut-offs and notches
const PASSED = "rgba(255, 255, 255, 0.6)"; // a notch that is switched off
const LEAST_RING = 5; // the radius of a notch's circle in pixels of the page
const KEY_STEP = 0.02; // of the image's side, for an arrow key
const ZOOM_STEP = 1.25;
const MAX_ZOOM = 64;

export default {
  mixins: [exchange],
  place: "tab",
  template: `
    <div class="lab-views" @dragover.prevent @drop.prevent="drop">
      <p class="lab-alert" role="alert" v-show="alert">{{ alert }}</p>
      <div class="lab-bar">
        <label class="lab-button">Open an image
          <input type="file" class="lab-file" accept="image/*,.pgm,.ppm,.tif,.tiff"
                 @change="choose('open', $event)" aria-label="Open an image"></label>
        <span class="lab-name">{{ name }}</span><span class="lab-words">{{ words }}</span>
        <span class="lab-left-behind" v-show="notes">{{ notes }}</span>
        <span class="lab-busy" aria-hidden="true">{{ isBusy ? "…" : "" }}</span>
      </div>
      <div class="lab-three">
        <figure v-for="(title, view) in titles" :key="view">
          <figcaption>{{ title }}</figcaption>
          <canvas :ref="view" tabindex="0" role="img" :class="'lab-' + view"
                  :aria-label="title + '. Arrow keys move, plus and minus zoom, 0 shows all.'"
                  @pointerdown="down(view, $event)" @pointermove="move(view, $event)"
                  @pointerup="up" @pointercancel="up" @pointerleave="leave"
                  @wheel.prevent="wheel(view, $event)" @dblclick="reset"
                  @keydown="key(view, $event)"></canvas>
        </figure>
      </div>
      <output class="lab-readout">{{ readout || "Point at a view to read it." }}</output>
      <div class="lab-bar" role="group" aria-label="Brush on the spectrum">
        <label v-for="(text, each) in modes" :key="each"><input type="radio" name="lab-mode"
               :value="each" v-model="mode" :disabled="each !== 'move' && !!noBrush"> {{ text }}</label>
        <label>Size <input type="range" class="lab-size" min="1" max="100" v-model.number="radius"
               :disabled="!!noBrush" aria-label="Radius of the brush in bins"> {{ radius }}</label>
        <button type="button" class="lab-undo" @click="undo" :disabled="!strokes.length">Undo</button>
        <button type="button" class="lab-clear" @click="clear" :disabled="!strokes.length">Clear</button>
      </div>
      <p class="lab-no-brush" v-show="noBrush && !strokes.length">{{ noBrush }}</p>
      <div class="lab-notches" v-if="hasNotches && name">
        <p v-if="!notches">Notches are looked for …</p>
        <p v-else-if="!notches.length">No peak of stripes or moire was found in the spectrum.</p>
        <p v-else id="lab-notches-title">Notches, the strongest peak first. The filter has those that are ticked.</p>
        <table v-if="notches?.length" aria-labelledby="lab-notches-title">
          <thead><tr><th scope="col">On</th><th scope="col">Cycles a pixel</th>
            <th scope="col">Period, pixels</th><th scope="col">Angle</th></tr></thead>
          <tbody>
            <tr v-for="(notch, n) in notches" :key="n" @pointerenter="mark(n)" @pointerleave="mark(-1)">
              <td><input type="checkbox" class="lab-notch" :id="'lab-notch-' + n" v-model="notch.isOn"
                         :aria-label="'Notch at ' + in_words(notch)" @change="switch_notch(n)"
                         @focus="mark(n)" @blur="mark(-1)"></td>
              <td><label :for="'lab-notch-' + n">{{ notch.frequency.toFixed(4) }}</label></td>
              <td>{{ notch.period.toFixed(2) }}</td>
              <td>{{ degrees(notch.angle) }}</td>
            </tr>
          </tbody>
        </table>
      </div>
      <div class="lab-bar">
        <label>Before and after <input type="range" class="lab-before" min="0" max="100"
               v-model.number="before" @input="draw"
               aria-label="How much of the result's view shows the image before"></label>
        <button type="button" @click="reset">Show all</button>
        <button type="button" class="lab-save" @click="download('save')" :disabled="!name">Save</button>
        <button type="button" class="lab-mask" @click="download('mask')" :disabled="!name || !!noBrush">Download mask</button>
        <button type="button" class="lab-copy" @click="copy('command')" :disabled="!name">Copy as command line</button>
        <button type="button" class="lab-python" @click="copy('python')" :disabled="!name">Copy as Python</button>
        <span role="status">{{ status }}</span>
      </div>
      <pre class="lab-text" v-show="text" tabindex="0">{{ text }}</pre>
    </div>`,
  props: { tab: String, maxBytes: Number, noBrush: String, hasNotches: Boolean, device: String },
  data() {
    return {
      titles: { before: "Image", spectrum: "Spectrum", result: "Result" },
      modes: { move: "Move", erase: "Erase", restore: "Restore" },
      name: "", words: "", notes: "", text: "", readout: "", mode: "move", radius: 10, before: 0,
      strokes: [], notches: null,
    };
  },
  watch: {
    hasNotches: "find_notches",
    device: "find_notches", // another device may find other ones
    noBrush() {
      if (this.noBrush) this.mode = "move";
    },
  },
  created() {
    this.bitmaps = {}; // by view; none of these needs Vue to watch it
    this.size = [1, 1]; // columns, rows
    this.centre = [0.5, 0.5];
    this.zoom = 1;
    this.circles = [];
    this.notchRadius = 0;
    this.marked = -1; // the notch whose row is pointed at
    this.search = 0; // counts the searches for notches, so that the newest one is known
    this.stroke = this.drag = null;
    this.cursor = null; // where the keys have moved the brush
    this.overlay = document.createElement("canvas");
  },
  mounted() {
    this.observer = new ResizeObserver(() => this.draw());
    Object.keys(this.titles).forEach((view) => this.observer.observe(this.canvas(view)));
  },
  unmounted() {
    this.observer.disconnect();
  },
  methods: {
    // --- what Python calls ---------------------------------------------------------------------
    async opened(info) {
      const { name, words, notes } = info;
      Object.assign(this, { name, words, notes, strokes: [], text: "", alert: "" });
      this.size = [info.columns, info.rows];
      this.bitmaps = {};
      this.cursor = null;
      this.reset();
      this.find_notches();
      for (const view of ["before", "spectrum"]) {
        const answer = await this.ask(`${view}?v=${info.version}`);
        if (answer) this.bitmaps[view] = await createImageBitmap(await answer.blob());
        if (view === "spectrum") this.redraw_strokes();
        this.draw();
      }
    },
    changed(version, circles, notchRadius) {
      Object.assign(this, { circles, notchRadius });
      this.draw();
      return this.follow(version, async (asked) => {
        const answer = await this.ask(`result?v=${asked}`);
        if (!answer) return 0;
        this.bitmaps.result = await createImageBitmap(await answer.blob());
        return Number(answer.headers.get("X-Version"));
      });
    },
    async copy(what) {
      const answer = await this.ask(what);
      if (!answer) return;
      this.text = await answer.text();
      try {
        await navigator.clipboard.writeText(this.text);
        this.status = "copied";
      } catch {
        this.status = "copy it from below";
      }
    },

    // --- notches -------------------------------------------------------------------------------
    async find_notches() {
      const search = ++this.search;
      this.notches = null;
      if (!this.hasNotches || !this.name) return;
      const answer = await this.ask("notches");
      const found = answer ? await answer.json() : [];
      if (search !== this.search) return;
      this.notches = found;
      this.draw();
    },
    switch_notch(index) {
      this.$emit("notch", { index, isOn: this.notches[index].isOn });
      this.draw();
    },
    mark(index) {
      this.marked = index;
      this.draw();
    },
    degrees(angle) {
      return `${(Number(angle.toFixed(1)) % 180).toFixed(1)}°`;
    },
    in_words({ frequency, period, angle }) {
      return `${frequency.toFixed(4)} cycles a pixel, period ${period.toFixed(2)} pixels, angle ${this.degrees(angle)}`;
    },

    // --- places --------------------------------------------------------------------------------
    canvas(view) {
      return this.$refs[view][0];
    },
    frame(view) {
      // Where the image lies in a canvas, in pixels of the screen: left, top, width, height.
      const { width, height } = this.canvas(view);
      const [columns, rows] = this.size;
      const scale = this.zoom * Math.min(width / columns, height / rows);
      const [w, h] = [columns * scale, rows * scale];
      return [width / 2 - this.centre[0] * w, height / 2 - this.centre[1] * h, w, h];
    },
    place(view, event) {
      const box = this.canvas(view).getBoundingClientRect();
      const ratio = this.canvas(view).width / box.width;
      const [left, top, w, h] = this.frame(view);
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      return [(x * ratio - left) / w, (y * ratio - top) / h];
    },
    bins([x, y]) {
      // The row and the column of a place, in bins from DC.
      const [columns, rows] = this.size;
      const from = (part, length) => part * length - 0.5 - Math.floor(length / 2);
      return [from(y, rows), from(x, columns)];
    },
    move_to(x, y) {
      const inside = (part) => Math.min(Math.max(part, 0), 1);
      this.centre = [inside(x), inside(y)];
      this.draw();
    },
    zoom_by(factor, [x, y]) {
      const zoom = Math.min(Math.max(this.zoom * factor, 1), MAX_ZOOM);
      const ratio = this.zoom / zoom; // the place under the pointer stays there
      this.zoom = zoom;
      if (zoom === 1) return this.move_to(0.5, 0.5);
      this.move_to(x + (this.centre[0] - x) * ratio, y + (this.centre[1] - y) * ratio);
    },
    reset() {
      this.zoom = 1;
      this.move_to(0.5, 0.5);
    },

    // --- pointer and keys ----------------------------------------------------------------------
    down(view, event) {
      if (!this.name || event.button > 0) return;
      this.canvas(view).setPointerCapture(event.pointerId);
      if (view === "spectrum" && this.mode !== "move") this.begin_stroke(this.place(view, event));
      else this.drag = { view, from: this.place(view, event) };
    },
    move(view, event) {
      if (!this.name) return;
      const place = this.place(view, event);
      if (this.stroke) this.continue_stroke(place);
      else if (this.drag?.view === view) {
        const [x, y] = this.drag.from;
        this.move_to(this.centre[0] + x - place[0], this.centre[1] + y - place[1]);
      }
      this.read(view, place);
      this.hover = view === "spectrum" && this.mode !== "move" ? place : null;
      this.draw();
    },
    up() {
      this.drag = null;
      if (this.stroke) this.end_stroke();
    },
    leave() {
      this.hover = null;
      this.draw();
    },
    wheel(view, event) {
      this.zoom_by(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, this.place(view, event));
    },
    key(view, event) {
      const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      const arrow = arrows[event.key];
      if (event.key === "z" && (event.ctrlKey || event.metaKey)) this.undo();
      else if (event.ctrlKey || event.metaKey || event.altKey) return;
      else if (arrow && view === "spectrum" && this.mode !== "move") this.move_cursor(arrow, event);
      else if (arrow) {
        const [x, y] = arrow.map((each) => (each * KEY_STEP) / this.zoom);
        this.move_to(this.centre[0] + x, this.centre[1] + y);
      } else if (event.key === "+") this.zoom_by(ZOOM_STEP, this.cursor || this.centre);
      else if (event.key === "-") this.zoom_by(1 / ZOOM_STEP, this.cursor || this.centre);
      else if (event.key === "0") this.reset();
      else if (event.key === " " && view === "spectrum" && this.mode !== "move" && this.name) {
        this.begin_stroke(this.cursor || this.centre);
        this.end_stroke();
      } else return;
      event.preventDefault();
    },
    move_cursor([x, y], event) {
      // By one bin, or with Shift by ten.
      const [column, row] = this.cursor || this.centre;
      const step = event.shiftKey ? 10 : 1;
      this.cursor = this.hover = [column + (x * step) / this.size[0], row + (y * step) / this.size[1]];
      this.read("spectrum", this.cursor);
      this.draw();
    },
    read(view, place) {
      const [columns, rows] = this.size;
      const [x, y] = [Math.floor(place[0] * columns), Math.floor(place[1] * rows)];
      if (place.some((each) => each < 0 || each >= 1)) this.readout = "";
      else if (view !== "spectrum") this.readout = `column ${x}, row ${y}`;
      else {
        const [fx, fy] = [(x - Math.floor(columns / 2)) / columns, (y - Math.floor(rows / 2)) / rows];
        const frequency = Math.hypot(fx, fy);
        const angle = (((Math.atan2(-fy, fx) * 180) / Math.PI) % 180 + 180) % 180;
        this.readout = frequency
          ? `frequency ${frequency.toFixed(4)} cycles a pixel (across ${fx.toFixed(4)}, down ` +
            `${fy.toFixed(4)}), period ${(1 / frequency).toPrecision(4)} pixels, angle ${angle.toFixed(1)}°`
          : "frequency 0: the mean brightness";
      }
    },

    // --- the brush -----------------------------------------------------------------------------
    begin_stroke(place) {
      this.stroke = { mode: this.mode, radius: this.radius, points: [this.bins(place)] };
      this.draw_stroke(this.stroke);
      this.draw();
    },
    continue_stroke(place) {
      const point = this.bins(place);
      const last = this.stroke.points[this.stroke.points.length - 1];
      if (this.stroke.points.length >= 5000 || Math.hypot(point[0] - last[0], point[1] - last[1]) < 0.5)
        return;
      this.stroke.points.push(point);
      this.draw_stroke({ ...this.stroke, points: [last, point] });
    },
    end_stroke() {
      this.strokes.push(this.stroke);
      this.$emit("stroke", this.stroke);
      this.stroke = null;
    },
    undo() {
      if (!this.strokes.length) return;
      this.strokes.pop();
      this.redraw_strokes();
      this.$emit("undo");
    },
    clear() {
      this.strokes = [];
      this.redraw_strokes();
      this.$emit("clear");
    },
    redraw_strokes() {
      const { width, height } = this.bitmaps.spectrum || { width: 1, height: 1 };
      Object.assign(this.overlay, { width, height }); // which clears it
      this.strokes.forEach((each) => this.draw_stroke(each));
      this.draw();
    },
    draw_stroke({ mode, radius, points }) {
      const context = this.overlay.getContext("2d");
      const [columns, rows] = this.size;
      const [right, down] = [this.overlay.width / columns, this.overlay.height / rows];
      context.globalCompositeOperation = mode === "erase" ? "source-over" : "destination-out";
      context.strokeStyle = ERASED;
      context.lineCap = context.lineJoin = "round";
      context.lineWidth = 2 * radius;
      for (const sign of [1, -1]) {
        // The real image has each frequency twice, at f and at -f.
        context.setTransform(right, 0, 0, down, 0, 0);
        context.translate(Math.floor(columns / 2) + 0.5, Math.floor(rows / 2) + 0.5);
        context.beginPath();
        points.forEach(([row, column], n) =>
          context[n ? "lineTo" : "moveTo"](sign * column, sign * row));
        if (points.length === 1) context.lineTo(sign * points[0][1] + 1e-3, sign * points[0][0]);
        context.stroke();
      }
      context.setTransform(1, 0, 0, 1, 0, 0);
    },

    // --- drawing -------------------------------------------------------------------------------
    draw() {
      if (this.frameAsked) return;
      this.frameAsked = requestAnimationFrame(() => {
        this.frameAsked = 0;
        if (this.$el.isConnected) Object.keys(this.titles).forEach(this.draw_view);
      });
    },
    draw_view(view) {
      const canvas = this.canvas(view);
      const ratio = window.devicePixelRatio || 1;
      const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.round(n * ratio));
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      const context = canvas.getContext("2d");
      context.clearRect(0, 0, width, height);
      const [left, top, w, h] = this.frame(view);
      context.imageSmoothingEnabled = w < 4 * this.size[0];
      const paint = (bitmap) => bitmap && context.drawImage(bitmap, left, top, w, h);
      paint(this.bitmaps[view]);
      if (view === "spectrum") this.draw_over_spectrum(context, left, top, w, h);
      if (view === "result" && this.before > 0) {
        context.save();
        context.beginPath();
        context.rect(0, 0, (width * this.before) / 100, height);
        context.clip();
        paint(this.bitmaps.before);
        context.restore();
        context.fillStyle = "white";
        context.fillRect((width * this.before) / 100 - 1, 0, 2, height);
      }
    },
    draw_over_spectrum(context, left, top, w, h) {
      context.globalAlpha = 0.6;
      if (this.strokes.length || this.stroke) context.drawImage(this.overlay, left, top, w, h);
      context.globalAlpha = 1;
      const [columns, rows] = this.size;
      const x = left + ((Math.floor(columns / 2) + 0.5) / columns) * w;
      const y = top + ((Math.floor(rows / 2) + 0.5) / rows) * h;
      const ratio = window.devicePixelRatio || 1;
      const ring = (across, down, radius, least = 0) => {
        // Around a frequency in cycles a pixel.
        const [a, b] = [w, h].map((side) => Math.max(radius * side, least));
        context.beginPath();
        context.ellipse(x + across * w, y + down * h, a, b, 0, 0, 2 * Math.PI);
        context.stroke();
      };
      context.lineWidth = 1.5 * ratio;
      context.strokeStyle = STOPPED;
      for (const cutoff of this.circles) ring(0, 0, cutoff);
      const notches = (this.hasNotches && this.notches) || [];
      notches.forEach(({ across, down, isOn }, n) => {
        context.lineWidth = (n === this.marked ? 3 : 1.5) * ratio;
        context.strokeStyle = isOn ? STOPPED : PASSED;
        for (const sign of [1, -1]) ring(sign * across, sign * down, this.notchRadius, LEAST_RING * ratio);
      });
      context.lineWidth = 1.5 * ratio;
      if (!this.hover) return;
      context.strokeStyle = "white";
      context.beginPath();
      const [across, down] = [(this.radius * w) / columns, (this.radius * h) / rows];
      context.ellipse(left + this.hover[0] * w, top + this.hover[1] * h, across, down, 0, 0, 2 * Math.PI);
      context.stroke();
    },
  },
};
