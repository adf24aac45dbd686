// Light or dark: what the reader's system says, unless they chose otherwise on this page's button.
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

  function setUp() {
    const button = document.getElementById('theme');
    const show = () => button.setAttribute('aria-pressed', String(isDark()));
    button.hidden = false;
    show();
    prefersDark.addEventListener('change', show);
    button.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      remember(root.dataset.theme);
      show();
    });
  }

  function closeMenus(event) {
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      if (event.key === 'Escape') {
        menu.open = false;
        menu.querySelector('summary').focus();
      } else if (event.type === 'click' && !menu.contains(event.target)) {
        menu.open = false;
      }
    }
  }

  const chosen = recall();
  if (chosen === 'dark' || chosen === 'light') {
    root.dataset.theme = chosen;
  }
  document.addEventListener('DOMContentLoaded', setUp);
  document.addEventListener('click', closeMenus);
  document.addEventListener('keydown', closeMenus);
})();
