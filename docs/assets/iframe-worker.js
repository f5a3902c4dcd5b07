// Search from disk: browsers start no worker from a file, so a hidden frame does the worker's work.
(() => {
  if (location.protocol !== "file:") return;

  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.answer = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.loaded = new Promise((resolve) => (this.frame.onload = resolve));
      const script = new URL(url, location.href).href.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
      const answers = "<script>self.postMessage = (data) => frameElement.answer(data)</script>";
      this.frame.srcdoc = `${answers}<script src="${script}"></script>`;
      document.body.append(this.frame);
    }

    postMessage(data) {
      this.loaded.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  }

  window.IFrameWorker = window.Worker = FrameWorker;
})();
