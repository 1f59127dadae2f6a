// The chosen theme, before anything is drawn. None chosen is that of the system.
const theme = localStorage.getItem('theme');
if (theme) document.documentElement.dataset.theme = theme;
