"""How tests read and use the page: its text with all parts in their places, and in a browser."""

import base64
import json
import re
import zlib
from typing import Any


def unpacked(text: str) -> dict[str, str]:
    """Return the parts that stand packed in a page, by name."""
    found = re.search(r'<script type="application/json" id="parts">(.*?)</script>', text)
    assert found
    parts: dict[str, str] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return parts


def filled(text: str) -> str:
    """Return a page as it is when all of it was opened."""
    parts = unpacked(text)
    place = re.compile(r'<(\w+)([^>]*) data-parts="([^"]*)"([^>]*>)(<summary>.*?</summary>)?')

    def fill(match: re.Match[str]) -> str:
        inside = "".join(parts[name] for name in match[3].split())
        if match[1] == "img":
            return f'<img src="{inside}"{match[2]}{match[4]}'
        return f"<{match[1]}{match[2]}{match[4]}{match[5] or ''}{place.sub(fill, inside)}"

    return place.sub(fill, text)


# Every text that can be seen, with its contrast to what lies behind it (WCAG 2.2, 1.4.3).
CONTRAST = """() => {
  const parse = color => {
    const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3])).concat(1);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = new Map();
  const ground = element => {
    if (!element) return [255, 255, 255, 1];
    if (!behind.has(element)) {
      const mine = parse(getComputedStyle(element).backgroundColor);
      behind.set(element, mine[3] === 1 ? mine : over(mine, ground(element.parentElement)));
    }
    return behind.get(element);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set(), worst = [];
  let count = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || seen.has(element)) continue;
    seen.add(element);
    if (!element.checkVisibility() || element.closest("script, style, annotation, option")) continue;
    const style = getComputedStyle(element), below = ground(element);
    const [a, b] = [light(over(parse(style.color), below)), light(below)];
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    count += 1;
    if (ratio < (large ? 3 : 4.5))
      worst.push([ratio.toFixed(2), element.className, element.textContent.slice(0, 40)]);
  }
  return [count, worst.slice(0, 5)];
}"""


# The browser tells of an open detail a moment later.
OPEN = """async few => {
  const all = query => [...document.querySelectorAll(query)];
  document.querySelector("#rest:not([hidden]) button")?.click();
  document.getElementById("all").click();
  all("details").forEach(each => { each.open = true });
  while (all("details[data-parts]").length) await new Promise(done => setTimeout(done));
  if (few) all("tr:nth-child(n+4):nth-last-child(n+4)").forEach(each => each.remove());
}"""


def open_all(page: Any, few: bool = True) -> None:
    """Open every claim and every detail; of a long table only first and last rows stay, as all are alike."""
    page.evaluate(OPEN, few)


def shown(page: Any) -> list[str]:
    ids: list[str] = page.eval_on_selector_all(".claim:not([hidden])", "all => all.map(each => each.id)")
    return ids


def chosen(page: Any, *choices: tuple[str, str]) -> list[list[str]]:
    """Return what each of some fields shows with its own value; at once, as a frame takes a browser long."""
    script = """choices => choices.map(([name, value]) => {
      const field = document.querySelector(name);
      const enter = text => {
        field.value = text;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      };
      enter(value);
      const ids = [...document.querySelectorAll(".claim:not([hidden])")].map(each => each.id);
      enter("");
      return ids;
    })"""
    ids: list[list[str]] = page.evaluate(script, choices)
    return ids


def searched(page: Any, *phrases: str) -> list[list[str]]:
    return chosen(page, *(("#q", words) for words in phrases))
