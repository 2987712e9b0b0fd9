import type { Page } from '@playwright/test'

/** Resolves with the time, in epoch milliseconds, of the frame after a status of the page first contained this text. */
export const appearance = (page: Page, text: string): Promise<number> =>
  page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const look = () => {
          const found = [...document.querySelectorAll('[role=status]')].some((one) => one.textContent?.includes(wanted))
          if (found) requestAnimationFrame(() => setTimeout(() => resolve(Date.now())))
          return found
        }
        if (look()) return
        const observer = new MutationObserver(() => look() && observer.disconnect())
        observer.observe(document, { subtree: true, childList: true, characterData: true })
      }),
    text,
  )
