// The page's policy blocks style elements that a script makes, as BokehJS does. They become elements of another kind,
// whose words go into a sheet that is made by script, which the policy allows.
"use strict";

customElements.define("adopted-style", class extends HTMLElement {
  sheet = new CSSStyleSheet();
  words = "";

  get textContent() {
    return this.words;
  }

  set textContent(words) {
    this.words = words;
    this.sheet.replaceSync(words);
  }

  connectedCallback() {
    this.root = this.getRootNode();
    this.root.adoptedStyleSheets = [...this.root.adoptedStyleSheets, this.sheet];
  }

  disconnectedCallback() {
    this.root.adoptedStyleSheets = this.root.adoptedStyleSheets.filter(each => each !== this.sheet);
  }
});
document.createElement = (tag, ...options) =>
  Document.prototype.createElement.call(document, tag === "style" ? "adopted-style" : tag, ...options);
