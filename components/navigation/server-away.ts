import * as t from '#components/texts/away/en.ts'

/** A proxy answers so in place of a server that is down. */
const downStatuses: readonly number[] = [502, 503, 504]

/** The address that was found to answer, which the next navigation may open. */
let allowed: string | undefined

/**
 * If the router can't read a page, it leaves it to the browser, which would replace this page, and what was typed, with an error of its own.
 * In browsers that let a page cancel that, the person is asked instead. Loaded after the page, because it could not be loaded then.
 */
export function installServerAway(): void {
  if (!('navigation' in window)) return
  window.navigation.addEventListener('navigate', (event) => {
    const { destination, cancelable, navigationType, userInitiated, downloadRequest } = event
    const { url, sameDocument } = destination
    if (!cancelable || sameDocument || userInitiated || downloadRequest !== null) return
    if (navigationType !== 'push' && navigationType !== 'replace') return
    if (!url.startsWith(`${window.location.origin}/t/`) || url === allowed) return
    event.preventDefault()
    void openOrAsk(url)
  })
}

async function openOrAsk(url: string): Promise<void> {
  if (await answers(url)) {
    allowed = url
    window.location.assign(url)
    return
  }
  // The router waits for the browser to leave. It takes up this page again as it does when "back" returns to one that was left.
  window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  ask(url)
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => !downStatuses.includes(status),
    () => false,
  )

function ask(url: string): void {
  const dialog = document.createElement('dialog')
  dialog.className =
    'm-auto w-[min(30rem,calc(100vw-2rem))] border border-line-strong bg-surface p-5 text-ink backdrop:bg-black/50'
  dialog.setAttribute('role', 'alertdialog')
  dialog.setAttribute('aria-label', t.notOpened)
  const title = document.createElement('h2')
  title.textContent = t.notOpened
  const about = document.createElement('p')
  about.className = 'mt-2'
  about.textContent = t.notOpenedAbout
  const buttons = document.createElement('div')
  buttons.className = 'mt-4 flex flex-wrap justify-end gap-3'
  const button = (text: string, press: () => void) => {
    const made = document.createElement('button')
    made.type = 'button'
    made.className =
      'inline-flex min-h-11 items-center border border-line-strong bg-surface px-3 py-1.5 hover:bg-selected'
    made.textContent = text
    made.addEventListener('click', press)
    buttons.append(made)
    return made
  }
  button(t.stay, () => dialog.close())
  const again = button(t.tryAgain, async () => {
    if (again.textContent === t.trying) return
    again.textContent = t.trying
    if (await answers(url)) {
      dialog.close()
      allowed = url
      window.location.assign(url)
    }
    again.textContent = t.tryAgain
  })
  dialog.append(title, about, buttons)
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  again.focus()
}
