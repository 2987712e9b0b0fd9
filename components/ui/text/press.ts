/** A tap becomes a click some time after the finger has left. */
const tapMs = 400

/**
 * What ends a press, and after how many ms: a click is what it was for. A drag, a scroll, a menu or another window takes the release
 * for itself; then a pointer that moves without a button says so.
 */
const endings: Record<string, number> = {
  click: 0,
  pointercancel: 0,
  contextmenu: 0,
  dragend: 0,
  blur: 0,
  pointermove: 0,
  pointerup: tapMs,
}

/** The press itself takes the focus from what had it, and a pointer may move while it is pressed. */
const goesOn = (event: Event): boolean =>
  (event.type === 'blur' && event.target !== window) ||
  (event.type === 'pointermove' && event instanceof PointerEvent && event.buttons > 0)

/** Calls `ended` when the pointer that is pressed now has made its click, or will not make one. Returns what stops the waiting. */
export function onPressEnd(ended: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const again = () => clearTimeout(timer)
  const end = (event: Event) => {
    if (goesOn(event)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      stop()
      ended()
    }, endings[event.type])
  }
  function stop(): void {
    clearTimeout(timer)
    window.removeEventListener('pointerdown', again, true)
    for (const type of Object.keys(endings)) window.removeEventListener(type, end, true)
  }
  window.addEventListener('pointerdown', again, true)
  for (const type of Object.keys(endings)) window.addEventListener(type, end, true)
  return stop
}
