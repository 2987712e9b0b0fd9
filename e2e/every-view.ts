import type { Page } from '@playwright/test'
import { sized } from '#server/testing/properties/counts.ts'
import { countCases } from './counts.ts'
import { expectAccessible } from './fixtures.ts'

const views = [390, 1440].flatMap((width) =>
  (['dark', 'light'] as const).map((colorScheme) => ({ width, height: width === 390 ? 844 : 900, colorScheme })),
)
type View = (typeof views)[number]
const wideAndLight: View = { width: 1440, height: 900, colorScheme: 'light' }

/** The view of a name in `npm test`: those of other names are in other views. */
const viewOf = (name: string): View[] => {
  const sum = [...name].reduce((total, character) => total + character.charCodeAt(0), 0)
  return views.filter((_view, place) => place === sum % views.length)
}

/**
 * Checks the accessibility of a page at both widths and in both themes in `npm run proof`, and in one view of these four in `npm test`.
 * Writes a picture of each, under `name`, if E2E_PICTURES names a folder. `inView` checks the page further. Leaves the page wide and
 * light.
 */
export async function expectEveryView(
  page: Page,
  name: string,
  inView: (view: View) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const checked = process.env.E2E_PICTURES === undefined ? sized(views, viewOf(name)) : views
  for (const view of checked) await expectView(page, name, view, inView)
  await show(page, wideAndLight)
  countCases(checked.length)
}

async function expectView(page: Page, name: string, view: View, inView: (view: View) => Promise<void>): Promise<void> {
  const { width, colorScheme } = view
  await show(page, view)
  await expectAccessible(page)
  if (process.env.E2E_PICTURES !== undefined)
    await page.screenshot({ path: `${process.env.E2E_PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true })
  await inView(view)
}

async function show(page: Page, { width, height, colorScheme }: View): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme })
}
