/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The style sheet and the script of the pages are in this file; pages.c writes
 * them last. The script adds search, sorting, and the keys n and p, which move
 * to the next and the previous line with missing coverage.
 */
#include "site.h"

static const char *const style[] = {
    ":root{--bg:#fff;--fg:#1d2127;--dim:#68717d;--line:#e3e6ea;--soft:#f5f6f8;",
    "--link:#1f5fae;--ok:#2b7a4b;--okbar:#2b7f4f;--bad:#b3261e;--badbg:#"
    "fcebea;",
    "--badmark:#f7c9c5;--part:#9a6200;--partbg:#fdf5e2;--track:#f3d0cc;",
    "--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',",
    "'Liberation Mono',monospace}\n",
    "@media(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#dde1e6;",
    "--dim:#8d96a2;--line:#2a2f36;--soft:#1d2126;--link:#7db1f2;--ok:#6cc08b;",
    "--okbar:#4fa872;--bad:#f2857d;--badbg:#301c1c;--badmark:#6a2a28;",
    "--part:#e0b35c;--partbg:#2b2517;--track:#5a2e2c}}\n",
    "*{box-sizing:border-box}\n", "html{-webkit-text-size-adjust:100%}\n",
    "body{margin:0 auto;max-width:82rem;padding:1.1rem 1.5rem 2rem;",
    "background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,-apple-",
    "system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif}\n",
    "a{color:var(--link);text-decoration:none}a:hover{text-decoration:",
    "underline}\n", "code{font:0.875em/1.45 var(--mono)}\n",
    "h1{font-size:1.35rem;font-weight:600;margin:0;overflow-wrap:anywhere}\n",
    "h2{font-size:1rem;font-weight:600;margin:1.4rem 0 .5rem}\n",
    ".sub,.path{color:var(--dim);margin:.1rem 0;overflow-wrap:anywhere}\n",
    "footer{color:var(--dim);font-size:.8rem;margin-top:2rem}\n",
    /* The scores at the top of a page. */
    ".totals{list-style:none;padding:0;display:grid;grid-template-columns:"
    "repeat(auto-fit,minmax(9rem,",
    "1fr));gap:1.5rem;margin:1rem 0 0}\n", ".totals li{min-width:0}\n",
    ".totals .label{display:block;color:var(--dim);font-size:.85rem}\n",
    ".totals b{font-size:1.5rem;font-weight:600}\n",
    ".totals b::after{content:'\\2009%';font-size:1rem;font-weight:400}\n",
    ".totals .bar{display:block;width:100%;margin:.1rem 0}\n",
    ".bar{display:inline-block;vertical-align:middle;width:4.5rem;height:6px;",
    "border-radius:3px;background:var(--track);overflow:hidden}\n",
    ".bar i{display:block;height:100%;background:var(--okbar)}\n",
    ".score{font-variant-numeric:tabular-nums;white-space:nowrap}\n",
    "td.score b{font-weight:400}\n",
    ".miss{color:var(--bad);font-size:.85em;margin-left:.6em}\n",
    ".score[data-v='100.0000'] .miss{visibility:hidden}\n",
    /* The list of next steps in the index. */
    ".next{list-style:none;margin:0;padding:0;border-top:1px solid ",
    "var(--line)}\n",
    ".next li{display:grid;grid-template-columns:minmax(9rem,13rem) ",
    "minmax(9rem,18rem) minmax(0,1fr);gap:0 1rem;padding:.22rem 0;",
    "border-bottom:1px solid var(--line)}\n",
    ".next .name,.next "
    ".what{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}\n",
    ".what{color:var(--bad)}\n",
    ".step{color:var(--dim);overflow-wrap:anywhere}.step code{color:var(--fg)}",
    "main p a,.step a{text-decoration:underline}\n",
    "code span{white-space:nowrap}\n",
    /* The tables of files and functions. */
    ".list{border-collapse:collapse;width:100%}\n",
    ".list th{text-align:left;font-weight:400}\n",
    ".list thead th{color:var(--dim);font-size:.85rem;padding:.2rem .8rem ",
    ".2rem 0;border-bottom:1px solid var(--line);white-space:nowrap}\n",
    ".list tbody th,.list td{padding:.22rem .8rem .22rem 0;border-bottom:1px ",
    "solid var(--line);vertical-align:baseline}\n",
    ".list td{font-variant-numeric:tabular-nums}\n",
    "details.functions :is(td,th)+:is(td,th){text-align:right;white-space:"
    "normal}\n",
    "table.functions td:nth-child(n+3):not(:last-child){text-align:right;",
    "white-space:nowrap}table.functions thead "
    "th:nth-child(n+3):not(:last-child){",
    "text-align:right}\n",
    ".of{display:block;color:var(--dim);font-size:.85rem}",
    ".legend{margin:.6rem 0}.legend li{margin:.3rem 0;max-width:60rem}\n",
    ".skip-link{position:absolute;left:-99rem}.skip-link:focus{left:.5rem;",
    "top:.5rem;background:var(--bg);padding:.3rem .6rem}\n",
    "@media print{.find,.legend,.skip-link{display:none}}\n",
    ".list .bad{color:var(--bad)}\n",
    /* A name or a step shows at most three lines; under the pointer, it shows
     * all lines. */
    ".functions th code,.functions .step div,.file th code{",
    "display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;",
    "overflow:hidden;overflow-wrap:anywhere}\n",
    "table.functions th code{min-width:14rem;max-width:34rem}",
    "table.functions .step div{min-width:18rem}\n",
    "table.functions thead th{white-space:normal}",
    "table.functions td:nth-child(2){white-space:nowrap;max-width:16rem;",
    "overflow:hidden;text-overflow:ellipsis}\n",
    "table.functions tr:hover th code,table.functions tr:hover .step div,",
    ".file:hover th code{-webkit-line-clamp:none}.next .note{display:block}\n",
    ".files b{display:inline-block;width:4.2em;text-align:right}\n",
    ".files .miss{display:inline-block;min-width:2.4em}\n",
    ".folder{background:var(--soft);font-weight:600}\n",
    ".list .folder th{font-weight:600;padding-left:.4rem}\n",
    ".file th{padding-left:1.2rem!important;overflow-wrap:anywhere}\n",
    ".folder~.file .dir{display:none}.flat .file .dir{display:inline}\n",
    ".flat .folder{display:none}\n",
    "th[aria-sort]{cursor:pointer}th[aria-sort]:hover{color:var(--fg)}\n",
    "th[aria-sort=ascending]::after{content:' \\2191'}",
    "th[aria-sort=descending]::after{content:' \\2193'}\n",
    ".find{font:inherit;color:inherit;background:var(--bg);border:1px solid ",
    "var(--line);border-radius:4px;padding:.25rem .5rem;width:16rem;max-width:",
    "100%;margin:.4rem 0}\n", ".scroll{overflow-x:auto}\n",
    ".alert{background:var(--badbg);color:var(--bad);padding:.5rem .8rem;",
    "border-radius:4px}\n", ".note{color:var(--dim)}\n",
    ".mark{font:.8rem/1.4 system-ui,sans-serif;color:var(--dim);background:",
    "var(--soft);border-radius:3px;padding:0 .4em;margin-left:1em}\n",
    /* The code of a source. */
    "details.functions{margin:1rem 0}summary{cursor:default}\n",
    "main>details>summary{color:var(--link);cursor:pointer}\n",
    ".source{border-collapse:separate;border-spacing:0;width:100%;margin-top:",
    "1rem;font-size:14px}\n", ".source td{padding:0;vertical-align:top;",
    "font-size:13px;line-height:1.45}\n", ".panel{font-size:14px}\n",
    ".source code{white-space:pre;tab-size:4;font-size:13px;",
    "line-height:inherit}\n",
    ".source .n,.source .k{position:sticky;background:var(--bg);text-align:",
    "right;font:13px/1.45 var(--mono);white-space:nowrap}\n",
    ".source .n{left:0;min-width:3.4em;padding-right:.6em}\n",
    ".source .n a{color:var(--dim)}\n",
    ".source .k{left:3.4em;min-width:4.4em;padding-right:.7em;border-right:",
    "3px solid transparent;color:var(--dim)}\n",
    ".source .c{padding-left:.7em;width:100%}\n",
    ".yes .k{border-right-color:var(--okbar)}\n",
    ".no .k,.no .c{background:var(--badbg)}.no .k{border-right-color:",
    "var(--bad);color:var(--bad)}\n",
    ".part .k,.part .c{background:var(--partbg)}.part .k{border-right-color:",
    "var(--part);color:var(--part)}\n",
    ".x .c{color:var(--dim);background:repeating-linear-gradient(135deg,",
    "transparent 0 6px,var(--soft) 6px 8px)}\n",
    ".new .n{box-shadow:inset 3px 0 var(--link)}\n",
    "tr:target .n{background:var(--link)}tr:target .n a{color:var(--bg)}\n",
    "mark{background:var(--badmark);color:inherit}\n",
    ".c summary{list-style:none;cursor:pointer}",
    ".c summary::-webkit-details-marker{display:none}\n",
    ".c summary:hover code{text-decoration:underline dotted;",
    "text-underline-offset:3px}\n",
    ".c summary::after{content:'\\25B8';color:var(--dim);margin-left:.7em;",
    "font-size:.8em}.c details[open]>summary::after{content:'\\25BE'}\n",
    ".panel{background:var(--bg);border:1px solid var(--line);border-radius:",
    "4px;margin:.25rem .5rem .5rem 0;padding:.35rem .7rem;width:fit-content;",
    "max-width:min(100%,58rem)}\n",
    ".panel code{white-space:pre-wrap;overflow-wrap:anywhere}\n",
    /* The heading of a vector's column breaks only between words. */
    ".vectors thead code{overflow-wrap:normal;white-space:normal;",
    "word-break:keep-all}\n", ".panel p{margin:.3rem 0}\n",
    ".panel table{border-collapse:collapse}\n",
    ".panel td,.panel th{padding:.08rem .9rem .08rem 0;font-weight:400;",
    "text-align:left;vertical-align:baseline}\n",
    ".branches .bad,.vectors .bad{color:var(--bad);font-weight:600}\n",
    ".const,.branches th{color:var(--dim)}\n",
    ".mcdc{border-top:1px solid var(--line);padding-top:.3rem}",
    ".mcdc:first-child{border:0;padding:0}\n",
    ".vectors td{text-align:center;font-family:var(--mono);font-size:13px}\n",
    ".vectors thead th{text-align:center;border-bottom:1px solid ",
    "var(--line)}\n", ".files td::before{display:none}\n",
    ".vectors tbody th{color:var(--dim);white-space:nowrap}\n",
    ".vectors .t{font-weight:600}", ".vectors .skip{color:var(--dim)}\n",
    ".todo th{color:var(--bad)!important;font-weight:600}",
    ".todo td{border-top:1px dashed var(--bad)}\n",
    ".by td,.by th{border-top:1px solid var(--line)}.by .ok{color:var(--ok)}\n",
    "@media(max-width:52rem){body{padding:.8rem .8rem 2rem}",
    ".totals{grid-template-columns:1fr 1fr;gap:.7rem 1.2rem}",
    ".totals b{font-size:1.2rem}",
    ".next li{grid-template-columns:1fr;padding:.4rem 0}",
    ".next .name,.next .step{white-space:normal;overflow-wrap:anywhere}",
    ".files,.files tbody{display:block}.files thead{display:none}",
    ".files tr{display:grid;grid-template-columns:repeat(4,1fr);border-bottom:",
    "1px solid var(--line)}.files th{grid-column:1/-1}",
    ".files tbody th,.files tbody td{border:0;padding:.15rem .2rem .15rem ",
    ".4rem!important}",
    ".files .bar{display:block;width:auto;margin:.1rem .3rem .2rem 0}",
    ".files td.score::before{display:block;color:var(--dim);font-size:"
    ".7rem}.files td:nth-of-type(1)::before{content:'Functions'}"
    ".files td:nth-of-type(2)::before{content:'Lines'}"
    ".files td:nth-of-type(3)::before{content:'Branches'}"
    ".files td:nth-of-type(4)::before{content:'MC/DC'}"
    ".files b{width:auto;text-align:left;font-size:.85rem}",
    ".files .miss{display:inline;margin-left:.3em;min-width:0}",
    /* On the page of `live`, each file also shows its last change. */
    ".files .last{grid-column:1/-1}.files .last::before{content:'Last "
    "change: '}.files td.last::before{display:inline}",
    /* On a narrow screen, each function is a card. */
    "table.functions,table.functions tbody{display:block}table.functions "
    "thead{display:none}",
    "table.functions tr{display:block;padding:.4rem 0;border-bottom:1px solid ",
    "var(--line)}table.functions tbody th,table.functions "
    "td{display:block;border:0;",
    "padding:0;max-width:none!important}table.functions th code,",
    "table.functions .step div{min-width:0}",
    "table.functions td:nth-child(n+3):not(:last-child){text-align:left;",
    "display:inline-block;margin-right:.6em}",
    "table.functions td:nth-child(3)::before{content:'Calls '}",
    "table.functions td:nth-child(4)::before{content:'Missing: lines '}",
    "table.functions td:nth-child(5)::before{content:'branches '}",
    "table.functions "
    "td:nth-child(6):not(:last-child)::before{content:'conditions '}",
    ".source .n{min-width:2.8em;padding-right:.4em}",
    ".source .k{left:2.8em;min-width:3.2em;padding-right:.4em}}\n", NULL};

static const char *const script[] = {
    "'use strict';\n",
    "(function () {\n",
    "  function value(row, column) {\n",
    "    var cell = row.cells[column];\n",
    "    var part = cell && cell.querySelector('[data-v]');\n",
    "    if (!cell) return '';\n",
    "    var text = cell.dataset.v || (part ? part.dataset.v\n",
    "      : cell.textContent.trim());\n",
    "    return text === '' || isNaN(text) ? text : Number(text);\n",
    "  }\n",
    "  function sort(table, head, column) {\n",
    "    var up = head.getAttribute('aria-sort') !== 'ascending';\n",
    "    var body = table.tBodies[0], rows = Array.from(body.rows);\n",
    "    Array.from(head.parentNode.cells).forEach(function (cell) {\n",
    "      cell.setAttribute('aria-sort', 'none');\n",
    "    });\n",
    "    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');\n",
    "    table.classList.add('flat');\n",
    "    rows.sort(function (a, b) {\n",
    "      var x = value(a, column), y = value(b, column);\n",
    "      var order = typeof x === 'number' && typeof y === 'number'\n",
    "        ? x - y : typeof x === 'number' ? -1 : typeof y === 'number' ? "
    "1\n",
    "        : x < y ? -1 : x > y ? 1 : 0;\n",
    "      return up ? order : -order;\n",
    "    });\n",
    "    rows.forEach(function (row) { body.appendChild(row); });\n",
    "  }\n",
    "  function search(table) {\n",
    "    var box = document.createElement('input');\n",
    "    box.type = 'search';\n",
    "    box.className = 'find';\n",
    "    box.placeholder = 'Search';\n",
    "    box.setAttribute('aria-label', 'Search');\n",
    "    box.addEventListener('input', function () {\n",
    "      var wanted = box.value.toLowerCase();\n",
    "      table.classList.toggle('flat', wanted !== '');\n",
    "      Array.from(table.tBodies[0].rows).forEach(function (row) {\n",
    "        row.hidden = row.textContent.toLowerCase().indexOf(wanted) < 0;\n",
    "      });\n",
    "    });\n",
    "    table.parentNode.insertBefore(box, table);\n",
    "  }\n",
    "  document.querySelectorAll('table.list').forEach(function (table) {\n",
    "    Array.from(table.tHead.rows[0].cells).forEach(function (head, i) {\n",
    "      head.setAttribute('aria-sort', 'none');\n",
    "      head.tabIndex = 0;\n",
    "      head.addEventListener('click', function () { sort(table, head, i); ",
    "});\n",
    "      head.addEventListener('keydown', function (event) {\n",
    "        if (event.key !== 'Enter' && event.key !== ' ') return;\n",
    "        event.preventDefault();\n",
    "        sort(table, head, i);\n",
    "      });\n",
    "    });\n",
    "    search(table);\n",
    "  });\n",
    "  var lacking = Array.from(document.querySelectorAll(\n",
    "    '.source .no, .source .part'));\n",
    "  document.addEventListener('keydown', function (event) {\n",
    "    if (event.target.tagName === 'INPUT' || event.ctrlKey ||\n",
    "        event.metaKey || (event.key !== 'n' && event.key !== 'p')) ",
    "return;\n",
    "    var next = event.key === 'n', edge = next ? 90 : 70;\n",
    "    var rows = next ? lacking : lacking.slice().reverse();\n",
    "    var row = rows.find(function (one) {\n",
    "      var top = one.getBoundingClientRect().top;\n",
    "      return next ? top > edge : top < edge;\n",
    "    });\n",
    "    if (!row) return;\n",
    "    window.scrollBy(0, row.getBoundingClientRect().top - 80);\n",
    "    var stop = row.querySelector('summary') || row;\n",
    "    if (stop === row) row.tabIndex = -1;\n",
    "    stop.focus({preventScroll: true});\n",
    "  });\n",
    "})();\n",
    NULL};

static int write_asset(const struct html_site *site, const char *name,
                       const char *const *lines) {
  struct html_writer writer;
  if (writer_open(&writer, site->folder, name))
    return 1;
  for (; *lines; lines++)
    html_print(&writer, *lines);
  return writer_close(&writer);
}

static void print_lines(FILE *stream, const char *const *line) {
  while (*line)
    fputs(*line++, stream);
}

void pages_print_style(FILE *stream) { print_lines(stream, style); }

void pages_print_script(FILE *stream) { print_lines(stream, script); }

int site_write_assets(const struct html_site *site) {
  return write_asset(site, "style.css", style) ||
         write_asset(site, "script.js", script);
}
