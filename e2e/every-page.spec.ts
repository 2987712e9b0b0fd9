import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { sized } from '#server/testing/properties/counts.ts'
import { countCases } from './counts.ts'
import { everyPage, settled } from './every-page/pages.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

// Every page in every theme, width and zoom: no violation of WCAG 2.2 AA, nothing beyond the window's edge, no names of procedures.

/** 640 and 320 px are a window of 1,280 px at a zoom of 200 % and 400 % (WCAG 1.4.4, 1.4.10). */
const widths = [320, 390, 640, 1440, 2560]
const views = [
  ...widths.flatMap((width) => (['dark', 'light'] as const).map((colorScheme) => ({ width, media: { colorScheme } }))),
  { width: 1440, media: { forcedColors: 'active' as const } },
  { width: 390, media: { forcedColors: 'active' as const } },
  { width: 1440, media: { reducedMotion: 'reduce' as const } },
]
type View = (typeof views)[number]

const usual = { colorScheme: null, forcedColors: null, reducedMotion: null }

/** Pages that `npm test` checks, each in another view. */
const few = [
  '',
  'approvals',
  'approvals/[approvalId]',
  'executions/[executionId]',
  'traces/[traceId]',
  'settings/tenant',
]

/** Who reads a page: a person who may see all of it. */
const readerOf = (route: string): string =>
  ({ access: 'tom', settings: 'tom', audit: 'vera', evidence: 'vera', privacy: 'pia' })[route.split('/')[0] ?? ''] ??
  'maria'

/** Names of procedures, such as `approvals.decide`. */
function procedureNames(): RegExp {
  const router = readFileSync(join(import.meta.dirname, '../server/router.ts'), 'utf8')
  const domains = [...router.matchAll(/^ {2}(\w+)[:,]/gm)].map(([, name]) => name)
  return new RegExp(`\\b(?:${domains.join('|')})\\.[a-z]\\w+`)
}

test('every page is accessible and composed in every theme, width and zoom, and without names of procedures', async ({
  signedIn,
  origin,
}) => {
  test.setTimeout(3_600_000)
  const pages = (await everyPage(origin)).filter(({ route }) => sized(true, few.includes(route)))
  const names = procedureNames()
  let checked = 0
  for (const [place, { route, address }] of pages.entries()) {
    const page = await signedIn(readerOf(route))
    const one = views[place % views.length]
    for (const view of sized(views, one === undefined ? [] : [one])) {
      await page.setViewportSize({ width: view.width, height: view.width < 700 ? 640 : 900 })
      await page.emulateMedia({ ...usual, ...view.media })
      await page.goto(address)
      await settled(page)
      await test.step(`${route || 'home'}, ${textOf(view)}`, () => check(page, route, view, names))
      checked += 1
    }
    await page.close()
  }
  countCases(checked)
})

async function check(page: Page, route: string, view: View, names: RegExp): Promise<void> {
  const at = `${route || 'home'}, ${textOf(view)}`
  if (process.env.E2E_PICTURES !== undefined) {
    const file = `${route.replaceAll(/\W+/g, '-') || 'home'}-${textOf(view).replaceAll(/\W+/g, '-')}.png`
    await page.screenshot({ path: join(process.env.E2E_PICTURES, file), fullPage: true })
  }
  const violations = await expectAccessible(page).then(
    () => '',
    (error: Error) => error.message,
  )
  expect.soft(violations, at).toBe('')
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect.soft(over, `${at}: wider than the window`).toBeLessThanOrEqual(0)
  const prose = await page.evaluate(() => {
    const copy = document.body.cloneNode(true) as HTMLElement
    for (const code of copy.querySelectorAll('pre, code, script, style, textarea, .cm-editor')) code.remove()
    return copy.textContent ?? ''
  })
  expect.soft(names.exec(prose)?.[0], `${at}: names a procedure`).toBeUndefined()
}

const textOf = ({ width, media }: View): string => `${width} px ${Object.values(media).join(' ')}`
