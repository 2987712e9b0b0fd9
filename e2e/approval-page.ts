import type { Page } from '@playwright/test'
import { call, externalId, personToken, type RefundCase } from './cases.ts'
import { expect } from './fixtures.ts'

// What the tests of approvals do on the page of a request.

export const address = ({ approvalId }: Pick<RefundCase, 'approvalId'>) => `/t/${externalId()}/approvals/${approvalId}`
export const rail = (page: Page) => page.getByRole('region', { name: /^(?:Decided?|Expired)$/ })
export const reason = (page: Page) => page.getByRole('textbox', { name: 'Reason' })
export const choice = (page: Page, name: 'Approve' | 'Reject' | 'Escalate') => page.getByRole('radio', { name })
export const approveButton = (page: Page) => page.getByRole('button', { name: 'Approve refund of €4,200.00' })

export async function open(page: Page, refund: RefundCase): Promise<Page> {
  await page.goto(address(refund))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Issue refund of €4,200.00 for A-1001')
  return page
}

export async function fillIn(page: Page, why = 'Order and amount checked against the claim.'): Promise<void> {
  await choice(page, 'Approve').check()
  await reason(page).fill(why)
  await page.getByRole('checkbox', { name: /can’t be undone/ }).check()
}

export const statusOf = async (origin: string, { approvalId }: RefundCase) =>
  (
    await call<{ status: string }>(origin, await personToken(origin, 'jonas'), 'query', 'approvals.get', {
      approvalId,
    })
  ).status
