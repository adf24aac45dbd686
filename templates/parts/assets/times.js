// Times in the reader's zone. The page itself says them in UTC, for readers without scripts. On paper each has its year and
// zone, because "33 minutes ago" means nothing there.
'use strict';

(function () {
  const DAY = { day: 'numeric', month: 'short', year: 'numeric' };
  const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const WHOLE = { ...DAY, ...CLOCK, timeZoneName: 'short' };

  function inWords(time, form) {
    const language = document.documentElement.lang;
    try {
      return time.toLocaleString(language === 'en' ? 'en-GB' : language, form);
    } catch {
      return time.toLocaleString('en-GB', form); // the page names no language that browsers know
    }
  }

  function onScreen(element, time) {
    if (element.dataset.time === 'since') return element.dataset.since;
    if (element.dataset.time === 'day') return inWords(time, DAY);
    const { year, ...thisYear } = DAY;
    return inWords(time, { ...(time.getFullYear() === new Date().getFullYear() ? thisYear : DAY), ...CLOCK });
  }

  function onPaper(element, time) {
    return inWords(time, element.dataset.time === 'day' ? DAY : WHOLE);
  }

  function sayAll(said) {
    for (const element of document.querySelectorAll('time[data-time]')) {
      const time = new Date(element.dateTime);
      element.dataset.since ??= element.textContent;
      element.textContent = said(element, time);
      element.title = inWords(time, WHOLE);
    }
  }

  document.addEventListener('DOMContentLoaded', () => sayAll(onScreen));
  window.addEventListener('beforeprint', () => sayAll(onPaper));
  window.addEventListener('afterprint', () => sayAll(onScreen));
})();
