import type { Locator, Page } from '@playwright/test'
import { address, fillIn, open } from '../approval-page.ts'
import { call, clientToken, personToken, type RefundCase, waitingRefund } from '../cases.ts'
import { expect } from '../fixtures.ts'
import { environment } from '../own-agent.ts'

/** What brings a page to a state. */
export type Scene = {
  origin: string
  signedIn(username: string, slug?: string): Promise<Page>
  /** In a browser without a session. */
  page: Page
  /** Errors that the browser reports in this state. */
  expectTrouble(pattern: RegExp): void
  /** Runs after the test. */
  after(work: () => unknown): void
}

/** A state of the approval page. */
export type State = {
  /**
   * Provokes the state on the real server. Network faults are made in the browser, and an answer is rewritten only where the state
   * says why.
   */
  reach(scene: Scene): Promise<Page>
  /** What the page states in it. */
  says: string | RegExp
  /** Where; by default in the rail, which is a sheet on a phone. */
  within?(page: Page): Locator
}

/** The reason in every draft. */
export const why = 'Order and amount checked against the claim.'

/** The page of a new refund as Jonas opens it, with an approval that is filled in and not yet sent. */
export async function drafted({ origin, signedIn }: Scene): Promise<{ page: Page; refund: RefundCase; news: News }> {
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  const news = followNews(page)
  await open(page, refund)
  await fillIn(page, why)
  return { page, refund, news }
}

type News = { begin(): void; expectPushed(): Promise<void> }

/** Follows what the server sends to a page that is not open yet, and when the page reads the request. */
function followNews(page: Page): News {
  let events: ('sent' | 'read')[] = []
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"approvals"')) events.push('sent')
    }),
  )
  page.on('request', (request) => {
    if (reads.test(request.url())) events.push('read')
  })
  return {
    begin: () => {
      events = []
    },
    /**
     * The server sent the change, and the page read the request because of that. A read for an earlier change may have shown it
     * sooner, so that this one may still be to come.
     */
    expectPushed: () => expect.poll(() => events.join(' ')).toContain('sent read'),
  }
}

const reads = /\/v1\/[^?]*approvals\.get\b/

/** A refund that the CI pipeline asks for, as an agent elsewhere would. */
export async function requestedRefund(origin: string, agentId: string, id = 'A-1002'): Promise<{ approvalId: string }> {
  const refund = { id, amount: '182.40', currency: 'EUR' }
  const input = { agentId, environment, resource: 'payments/issue_refund', arguments: refund }
  return await call(origin, await clientToken(origin, 'ci-pipeline'), 'mutation', 'approvals.request', input)
}

/** A question of Anna, which the server reports to the open pages of this request and which leaves its revision as it is. */
export const askAsAnna = async (origin: string, approvalId: string): Promise<{ questionId: string }> =>
  call(origin, await personToken(origin, 'anna'), 'mutation', 'approvals.ask', {
    approvalId,
    question: 'Is the claim settled?',
  })

/** The approvals that the page reads from now on are changed as text before they arrive. */
export async function changeReads(
  { after, expectTrouble }: Scene,
  page: Page,
  change: (text: string) => string,
): Promise<void> {
  // `route.fetch` may send a request twice, and a DPoP proof is accepted once. The page then retries with a new proof.
  expectTrouble(/401 \(Unauthorized\) \(.*approvals\.get/)
  await page.route(reads, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: change(await response.text()) })
  })
  after(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
}

/** The page's calls of `url` wait until the returned function is called, or until the test ends. */
export async function holdCalls({ after }: Scene, page: Page, url: string | RegExp): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await released
    await route.continue()
  })
  after(release)
  return release
}
export const holdReads = (scene: Scene, page: Page): Promise<() => void> => holdCalls(scene, page, reads)

export const addressOf = (approvalId: string): string => address({ approvalId })
