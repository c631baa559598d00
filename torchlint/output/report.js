"use strict";
// The page is whole without this: what is added is a form that hides findings, and keeps what it hides in the address.
const form = document.getElementById("filters");
const findings = [...document.querySelectorAll("article.finding")];
const words = new Map(findings.map((finding) => [finding, finding.textContent.toLowerCase()]));

function isShown(finding, wanted) {
  return ["severity", "rule", "fix"].every((name) => !wanted.get(name) || finding.dataset[name] === wanted.get(name))
    && (!wanted.get("text") || words.get(finding).includes(wanted.get("text").toLowerCase()));
}

function show() {
  const wanted = new FormData(form);
  let shown = 0;
  for (const finding of findings) {
    finding.hidden = !isShown(finding, wanted);
    shown += finding.hidden ? 0 : 1;
  }
  for (const file of document.querySelectorAll("details.file")) {
    file.hidden = !file.querySelector("article.finding:not([hidden])");
  }
  form.querySelector("output").value = `${shown} of ${findings.length}`;
}

function remember() {
  const set = [...new FormData(form)].filter(([, value]) => value);
  const hash = set.length ? `#?${new URLSearchParams(set)}` : "#?";
  if (set.length || location.hash.startsWith("#?")) location.replace(hash);
}

function recall() {
  if (location.hash.startsWith("#?")) {
    const kept = new URLSearchParams(location.hash.slice(2));
    for (const field of form.elements) if (field.name) field.value = kept.get(field.name) ?? "";
  } else if (document.querySelector(":target")?.hidden) {
    form.reset();
  }
  show();
  document.querySelector(":target")?.scrollIntoView();
}

if (form) {
  form.hidden = false;
  form.addEventListener("input", () => { show(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { show(); remember(); }));
  window.addEventListener("hashchange", recall);
  for (const count of document.querySelectorAll("td[data-rule]")) {
    const link = document.createElement("a");
    link.href = `#?${new URLSearchParams({ rule: count.dataset.rule })}`;
    link.textContent = count.textContent;
    link.title = "Show these only";
    count.replaceChildren(link);
  }
  recall();
}
