if ("DecompressionStream" in window) document.documentElement.classList.add("js");
