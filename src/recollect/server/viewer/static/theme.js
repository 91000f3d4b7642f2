// Before the first paint: the theme that was chosen here, or that of the system.
const theme = localStorage.getItem("recollect.theme");
if (theme) document.documentElement.style.colorScheme = theme;
