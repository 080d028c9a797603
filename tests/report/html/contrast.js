// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts into the title how many texts and bars a page has, and those with too
// little contrast: text needs 4.5:1, the parts of a bar 3:1, by WCAG's formula.
addEventListener('load', function () {
  function rgb(text) {
    return (text.match(/[0-9.]+/g) || [0, 0, 0]).map(Number);
  }
  function light(color) {
    return [0.2126, 0.7152, 0.0722].reduce(function (sum, part, i) {
      var v = color[i] / 255;
      return sum + part *
        (v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
    }, 0);
  }
  function ratio(a, b) {
    var x = light(a), y = light(b);
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  }
  function ground(at) {
    for (; at; at = at.parentElement) {
      var color = rgb(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  }
  var texts = 0, bars = 0, worst = [];
  document.querySelectorAll('body *:not(script)').forEach(function (one) {
    if (one.className === 'bar') {
      bars++;
      var parts = ratio(ground(one.firstChild), ground(one));
      if (parts < 3) worst.push('bar ' + parts.toFixed(2));
    }
    if (!Array.from(one.childNodes).some(function (node) {
      return node.nodeType === 3 && node.data.trim();
    })) return;
    texts++;
    var r = ratio(rgb(getComputedStyle(one).color), ground(one));
    if (r < 4.5) worst.push(one.tagName + '.' + one.className + ' ' +
      r.toFixed(2) + ' ' + one.textContent.trim().slice(0, 20));
  });
  document.title = 'seen ' + texts + ' ' + bars + ' worst: ' +
    worst.slice(0, 6).join('; ');
});
