// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"use strict";

// A first click sorts upwards, a second downwards, a third as it was.
const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

for (const table of document.querySelectorAll(".matrix")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const value = (row) => {
      const cell = row.cells[column];
      return head.dataset.sort === "sign"
        ? Number(cell.dataset.order)
        : cell.textContent.trim().toLowerCase();
    };
    head.firstElementChild.addEventListener("click", () => {
      const turn = NEXT[head.getAttribute("aria-sort")];
      heads.forEach((each) => each.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", turn);
      const sign = { ascending: 1, descending: -1, none: 0 }[turn];
      const sorted = [...rows].sort((one, other) => {
        const [left, right] = [value(one), value(other)];
        return sign * (left < right ? -1 : left > right ? 1 : 0);
      });
      body.append(...sorted);
    });
  });
}

const filter = document.getElementById("filter");
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of document.querySelectorAll("tbody tr")) {
    row.hidden = !words.every((word) => row.dataset.told.includes(word));
  }
});
