// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts into the title how many texts and bars a page has, and what is wrong with
// them at the width of this window. By WCAG's formula text needs a contrast of
// 4.5:1, the parts of a bar 3:1. Nothing is wider than the window; a row has
// three lines, or a card on a phone; a card's labels are the heads of columns.
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
      var parts = ratio(rgb(getComputedStyle(one.firstChild).fill),
        ground(one));
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
  var wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) worst.push(wide + ' wide');
  var high = innerWidth < 832 ? 220 : 84;
  document.querySelectorAll('table.list tbody tr, .next li')
    .forEach(function (row) {
      if (row.offsetHeight > high) worst.push('a row is ' + row.offsetHeight +
        ' high: ' + row.textContent.slice(0, 20));
    });
  document.querySelectorAll('table.list td').forEach(function (cell) {
    var before = getComputedStyle(cell, '::before');
    if (before.display === 'none' || before.content[0] !== '"') return;
    var head = cell.closest('table').tHead.rows[0].cells[cell.cellIndex];
    before.content.replace(/^"Missing: /, '').match(/[A-Za-z]+/g)
      .forEach(function (word) {
        if (head.textContent.toLowerCase().indexOf(word.toLowerCase()) < 0)
          worst.push(word + ' labels ' + head.textContent);
      });
  });
  document.title = 'seen ' + texts + ' ' + bars + ' worst: ' +
    worst.slice(0, 6).join('; ');
});
