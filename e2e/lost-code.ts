import type { Locator, Page, Route } from '@playwright/test'

/** What the browser says of files that it could not load. */
export const codeIsLost =
  /ERR_FAILED|WebSocket connection|ERR_INTERNET_DISCONNECTED|Failed to load chunk|ChunkLoadError/

/** No script of the console reaches the page until `reach` is called. */
export async function loseCode(page: Page): Promise<{ reach(): Promise<void> }> {
  const files = '**/_next/static/**'
  const lose = (route: Route) => route.abort()
  await page.route(files, lose)
  return { reach: () => page.unroute(files, lose) }
}

/** The notice in place of a part of the page whose code could not be loaded. */
export const notLoaded = (page: Page): Locator =>
  page.getByRole('alert').filter({ hasText: 'This part of the page could not be loaded.' })
