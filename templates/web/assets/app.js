// What every page of the app does.
