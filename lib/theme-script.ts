/** The localStorage key of the person's theme; absent means "like the device". */
export const THEME_KEY = 'countersign-theme'

/**
 * Runs in the head, before anything is painted, so that the other theme never flashes.
 * If the browser forbids storage, the page follows the device.
 * server/shell.ts writes it, not React: to create a script element, React needs an `innerHTML` that Trusted Types forbid.
 */
export const THEME_SCRIPT = `try{let t=localStorage.getItem(${JSON.stringify(THEME_KEY)});if(t==="light"||t==="dark")document.documentElement.dataset.theme=t}catch(e){if(e.name!=="SecurityError")throw e}`
