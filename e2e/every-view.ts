import type { Page } from '@playwright/test'
import { sized } from '#server/testing/properties/counts.ts'
import { countCases } from './counts.ts'
import { expectAccessible } from './fixtures.ts'

const views = [390, 1440].flatMap((width) =>
  (['dark', 'light'] as const).map((colorScheme) => ({ width, height: width === 390 ? 844 : 900, colorScheme })),
)
type View = (typeof views)[number]

/**
 * Checks the accessibility of a page at both widths and in both themes. Writes a picture of each, under `name`, if
 * E2E_PICTURES names a folder. Leaves the page wide and light.
 */
export async function expectEveryView(page: Page, name: string): Promise<void> {
  for (const view of views) await expectView(page, name, view)
  countCases(views.length)
}

/**
 * The same in `npm run proof`, and in one view of the four in `npm test`, which depends on `place`: states with consecutive places
 * are in different views. `inView` checks the page further.
 */
export async function expectViews(
  page: Page,
  name: string,
  place: number,
  inView: (view: View) => Promise<void>,
): Promise<void> {
  const all = process.env.E2E_PICTURES !== undefined
  const checked = all
    ? views
    : sized(
        views,
        [views[place % views.length]].filter((view) => view !== undefined),
      )
  for (const view of checked) await expectView(page, name, view, inView)
  countCases(checked.length)
}

async function expectView(
  page: Page,
  name: string,
  view: View,
  inView: (view: View) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { width, height, colorScheme } = view
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme })
  await expectAccessible(page)
  if (process.env.E2E_PICTURES !== undefined)
    await page.screenshot({ path: `${process.env.E2E_PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true })
  await inView(view)
}
