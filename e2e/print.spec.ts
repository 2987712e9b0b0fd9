import type { Page } from '@playwright/test'
import { everyPage, settled } from './every-page/pages.ts'
import { expect, test } from './fixtures.ts'

// What a person prints for a file: the content without controls, at the width of a sheet of A4.

const printed = [
  'approvals/[approvalId]',
  'executions/[executionId]',
  'traces/[traceId]',
  'audit/[auditId]',
  'evidence/[exportId]',
]

const controls = 'button, input, select, textarea, form, [role="toolbar"], header, nav:not([aria-label="Breadcrumbs"])'

const visible = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((found) =>
      found
        .filter((element) => element.checkVisibility() && element.getClientRects().length > 0)
        .map((element) => element.outerHTML.slice(0, 120)),
    )

/** The headings of parts that were only for acting. */
const bareHeadings = () =>
  [...document.querySelectorAll<HTMLElement>('main section')]
    .filter((section) => section.checkVisibility())
    .filter((section) => section.innerText.trim() === section.querySelector<HTMLElement>('h2, h3')?.innerText.trim())
    .map((section) => section.innerText)

/** What is printed of times without their year and zone. */
const undated = () =>
  [...document.querySelectorAll<HTMLElement>('main time')]
    .filter((time) => time.checkVisibility())
    .map((time) => `${time.innerText} ${getComputedStyle(time, '::after').content}`)
    .filter((text) => !/\b20\d\d, \d\d:\d\d(:\d\d)? [A-Z]/.test(text) || /\bago\b|just now/.test(text))

test('approval, execution, trace, audit record and export print without controls, whole, and within the sheet', async ({
  signedIn,
  origin,
}) => {
  const pages = (await everyPage(origin)).filter(({ route }) => printed.includes(route))
  expect(pages).toHaveLength(printed.length)
  const page = await signedIn('maria')
  const auditor = await signedIn('vera')
  for (const { route, address } of pages) {
    const reader = route.startsWith('audit') || route.startsWith('evidence') ? auditor : page
    await reader.setViewportSize({ width: 1440, height: 900 })
    await reader.emulateMedia({ media: 'screen' })
    await reader.goto(address)
    await settled(reader)
    await reader.setViewportSize({ width: 680, height: 960 })
    await reader.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await expect(reader.locator('h1')).toBeVisible()
    if (process.env.E2E_PICTURES !== undefined) {
      const name = route.replaceAll(/\W+/g, '-')
      await reader.screenshot({ path: `${process.env.E2E_PICTURES}/print-${name}.png`, fullPage: true })
    }
    expect.soft(await visible(reader, controls), route).toEqual([])
    expect
      .soft(await visible(reader, 'main a[class*="border-primary"], main a[class*="border-line-strong"]'), route)
      .toEqual([])
    const links = await reader.locator('main a:visible').allInnerTexts()
    expect
      .soft(
        links.filter((link) => /^(Open|Compare|Find|next|previous)\b/.test(link)),
        `${route}: links`,
      )
      .toEqual([])
    expect.soft(await reader.evaluate(bareHeadings), `${route}: headings without content`).toEqual([])
    expect.soft(await reader.evaluate(undated), `${route}: times without a date`).toEqual([])
    // Nothing is cut off: neither at the edge of the sheet nor in a part that scrolls on the screen.
    const cut = await reader.evaluate(() =>
      [...document.querySelectorAll('main, main *')]
        .filter((element) => {
          const { overflowX, overflowY } = getComputedStyle(element)
          const scrolls = /auto|scroll/.test(`${overflowX} ${overflowY}`)
          const over = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1
          return (scrolls && over) || element.getBoundingClientRect().right > innerWidth + 1
        })
        .filter((element) => element.checkVisibility() && getComputedStyle(element).position !== 'absolute')
        .map((element) => element.outerHTML.slice(0, 160)),
    )
    expect.soft(cut, `${route}: cut off`).toEqual([])
    await reader.emulateMedia({ media: null, colorScheme: null })
  }
})
