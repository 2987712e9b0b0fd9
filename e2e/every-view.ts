import type { Page } from '@playwright/test'
import { expectAccessible } from './fixtures.ts'

/**
 * Checks the accessibility of a page at both widths and in both themes. Writes a picture of each, under `name`, if
 * E2E_PICTURES names a folder. Leaves the page wide and light.
 */
export async function expectEveryView(page: Page, name: string): Promise<void> {
  for (const width of [390, 1440])
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page)
      if (process.env.E2E_PICTURES === undefined) continue
      await page.screenshot({
        path: `${process.env.E2E_PICTURES}/${name}-${width}-${colorScheme}.png`,
        fullPage: true,
      })
    }
}
