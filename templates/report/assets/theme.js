// The theme: what the reader's system says, unless they chose otherwise on this page's button.
'use strict';

(function () {
  const root = document.documentElement;
  const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');

  function recall() {
    try {
      return window.localStorage.getItem('moss-theme');
    } catch {
      return null; // storage may be forbidden, on disk above all
    }
  }

  function remember(theme) {
    try {
      window.localStorage.setItem('moss-theme', theme);
    } catch {
      // then the choice lasts as long as the page
    }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === 'dark' : prefersDark.matches;
  }

  function label(button) {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', isDark() ? 'Use light colours' : 'Use dark colours');
  }

  function setUp() {
    const button = document.getElementById('theme');
    button.hidden = false;
    label(button);
    prefersDark.addEventListener('change', () => label(button));
    button.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      remember(root.dataset.theme);
      label(button);
    });
  }

  const chosen = recall();
  if (chosen === 'dark' || chosen === 'light') {
    root.dataset.theme = chosen;
  }
  document.addEventListener('DOMContentLoaded', setUp);
})();
