// Shows alternatives, `<div class="options">`, as tabs. Without a script, readers see all of them.

/**
 * Shows one alternative of each group under `root` at a time, with a row of buttons. Groups with the same name switch
 * together. Repeated calls change nothing.
 */
export function renderTabs(root: ParentNode): void {
  const all = [...root.querySelectorAll<HTMLElement>("div.options")];
  for (const group of all.filter((each) => !each.hasAttribute("data-ready"))) {
    const options = [...group.querySelectorAll<HTMLElement>(":scope > .option")];
    if (options.length < 2) continue;
    group.setAttribute("data-ready", "");
    const row = group.ownerDocument.createElement("div");
    row.className = "option-tabs";
    row.setAttribute("role", "tablist");
    for (const option of options) {
      const tab = group.ownerDocument.createElement("button");
      tab.type = "button";
      tab.setAttribute("role", "tab");
      tab.textContent = option.querySelector(":scope > .option-title")?.textContent ?? "";
      option.setAttribute("role", "tabpanel");
      option.setAttribute("aria-label", tab.textContent);
      tab.addEventListener("click", () => chooseOption(root, group, option));
      tab.addEventListener("keydown", ({ key }) => moveFocus(row, tab, key));
      row.append(tab);
    }
    group.prepend(row);
    showOption(group, 0);
  }
}

/** Shows an alternative in its group, and in every group of the same name that has it. */
function chooseOption(root: ParentNode, group: HTMLElement, { dataset }: HTMLElement): void {
  const name = group.dataset["options"];
  for (const each of root.querySelectorAll<HTMLElement>("div.options[data-ready]")) {
    if (each !== group && (!name || each.dataset["options"] !== name)) continue;
    const options = [...each.querySelectorAll<HTMLElement>(":scope > .option")];
    const index = options.findIndex((option) => option.dataset["option"] === dataset["option"]);
    if (index !== -1) showOption(each, index);
  }
}

function showOption(group: HTMLElement, shown: number): void {
  for (const [index, option] of group.querySelectorAll<HTMLElement>(":scope > .option").entries()) {
    option.hidden = index !== shown;
  }
  for (const [index, tab] of group.querySelectorAll<HTMLElement>(":scope > .option-tabs > button").entries()) {
    tab.setAttribute("aria-selected", String(index === shown));
    tab.tabIndex = index === shown ? 0 : -1;
  }
}

/** Moves the focus with the arrow keys, as in WAI-ARIA's tabs pattern. */
function moveFocus(row: HTMLElement, tab: HTMLElement, key: string): void {
  const tabs = [...row.querySelectorAll("button")];
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
  const next = step === 0 ? undefined : tabs.at((tabs.findIndex((each) => each === tab) + step) % tabs.length);
  next?.focus();
  next?.click();
}
