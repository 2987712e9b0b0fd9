import type { Locator, Page } from '@playwright/test'

/** A control of a page, as a report names it. */
export type Control = {
  /** Its place when it was found. The element keeps it as a mark, so that it is found however the page has changed since. */
  at: number
  name: string
  kind: 'link' | 'text' | 'select' | 'press'
  /** Whether it belongs to the page, and not to the frame around every page. */
  inMain: boolean
  blocked: string | undefined
}

const selector = 'a[href], button, summary, select, textarea, input:not([type="hidden"]), [role="treegrid"]'

const within = (page: Page, area: string): Locator => page.locator(`${area} :is(${selector})`)

/**
 * The controls of an area that are visible, in the order of the document. Of controls that rows of a list repeat, the first: they differ
 * only in their object.
 */
export const controlsOf = (page: Page, area: string): Promise<Control[]> =>
  within(page, area).evaluateAll((elements) => {
    const textOf = (element: Element): string => {
      const labels =
        element instanceof HTMLInputElement ? [...(element.labels ?? [])].map((one) => one.textContent) : []
      const text = element.getAttribute('aria-label') ?? (labels.join(' ') || element.textContent) ?? ''
      return text.trim().replaceAll(/\s+/g, ' ').slice(0, 60)
    }
    const seen = new Set<string>()
    return elements.flatMap((element, at) => {
      element.setAttribute('data-control', String(at))
      if (!element.checkVisibility() || element.getClientRects().length === 0) return []
      const type = element.getAttribute('type') ?? ''
      const name = textOf(element)
      const repeated = element.closest('tbody, li, dl, [role="row"], [role="option"]') !== null
      const mark = [element.tagName, type, element.className, repeated ? '' : name].join('|')
      if (seen.has(mark)) return []
      seen.add(mark)
      const text = [
        '',
        'text',
        'search',
        'number',
        'date',
        'password',
        'email',
        'url',
        'datetime-local',
        'time',
      ].includes(type)
      const kind =
        element.tagName === 'A'
          ? ('link' as const)
          : element.tagName === 'SELECT'
            ? ('select' as const)
            : element.tagName === 'TEXTAREA' || (element.tagName === 'INPUT' && text)
              ? ('text' as const)
              : ('press' as const)
      const ids = element.getAttribute('aria-describedby')?.split(' ') ?? []
      const reason = ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' ')
      const isBlocked =
        element.getAttribute('aria-disabled') === 'true' || (element as HTMLButtonElement).disabled === true
      const inMain = element.closest('main') !== null
      const tag = element.tagName.toLowerCase()
      return [{ at, name: `${tag} “${name}”`, kind, inMain, blocked: isBlocked ? reason : undefined }]
    })
  })

/** Starts to note what changes on the page, without what changes by itself: times, and the live region of a control's own hint. */
const watch = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    new MutationObserver((changes) => {
      for (const { target, attributeName } of changes) {
        const element = target instanceof Element ? target : target.parentElement
        if (element?.closest('time') === null) seen.push(`${element.tagName} ${attributeName ?? ''}`)
      }
    }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
    for (const type of ['input', 'change', 'toggle', 'scroll', 'focusin'])
      document.addEventListener(type, () => seen.push(type), true)
  })

/**
 * Uses a control as a person would. Returns whether anything observable followed: another address, a change of the document, a
 * value, the focus elsewhere, a new tab, a download or a request.
 */
export async function act(page: Page, area: string, { at, kind }: Control): Promise<boolean> {
  const control = within(page, area).and(page.locator(`[data-control="${at}"]`))
  const address = page.url()
  let outside = false
  const note = () => {
    outside = true
  }
  page.on('download', note).on('popup', note).on('filechooser', note)
  const onRequest = (request: { method(): string; url(): string }) => {
    if (request.url().includes('/v1/')) outside = true
  }
  // Scrolls to it before changes are noted.
  await control.hover({ trial: true })
  await watch(page)
  page.on('request', onRequest)
  if (kind === 'text') {
    const type = (await control.getAttribute('type')) ?? ''
    await control.fill(
      { date: '2026-11-01', number: '3', time: '10:00', 'datetime-local': '2026-11-01T10:00' }[type] ?? 'a',
    )
  } else if (kind === 'select') await control.selectOption({ index: -1 + (await control.locator('option').count()) })
  else await control.click()
  const acted = async () =>
    outside || page.url() !== address || (await page.evaluate(() => Reflect.get(window, 'seen')?.length !== 0))
  // The first change may follow an answer of the server. A dead control is known after this; a living one does not wait for it.
  const until = Date.now() + 5_000
  let alive = await acted()
  while (!alive && Date.now() < until) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))))
    alive = await acted()
  }
  page.off('download', note).off('popup', note).off('filechooser', note).off('request', onRequest)
  return alive
}
