import { approveButton, fillIn, open, reason } from '../approval-page.ts'
import { call, personToken, waitingRefund } from '../cases.ts'
import { expect, signIn } from '../fixtures.ts'
import { drafted, type State, why } from './state.ts'

/** What stands between the page and the server. */
export const connectionStates = {
  offline: {
    async reach(scene) {
      scene.expectTrouble(/ERR_INTERNET_DISCONNECTED/)
      const { page } = await drafted(scene)
      await page.context().setOffline(true)
      scene.after(() => page.context().setOffline(false))
      return page
    },
    says: 'You are offline.',
  },
  'rate-limited': {
    // The limits of the server of these tests are far above what a person does.
    async reach(scene) {
      scene.expectTrouble(/429/)
      const { page } = await drafted(scene)
      const data = {
        code: 'TOO_MANY_REQUESTS',
        httpStatus: 429,
        path: 'approvals.decide',
        requestId: 'r-1',
        reason: 'rate_limited',
        retryable: true,
      }
      await page.route('**/v1/approvals.decide', (route) =>
        route.fulfill({
          status: 429,
          // Longer than all views need.
          headers: { 'retry-after': '900', 'content-type': 'application/json' },
          body: JSON.stringify({ error: { json: { message: 'Too many requests.', code: -32029, data } } }),
        }),
      )
      await approveButton(page).click()
      return page
    },
    says: /Too many requests\..*Try again in [1-9]\d* s\./s,
  },
  'session-ended': {
    async reach({ origin, page, expectTrouble }) {
      expectTrouble(/401 \(Unauthorized\)/)
      // The ended session is not renewed.
      expectTrouble(/400 \(Bad Request\) \(.*\/token\)/)
      const token = await personToken(origin, 'jonas')
      await signIn(page, 'jonas')
      await open(page, await waitingRefund(origin))
      await fillIn(page, why)
      // The newest session is that of this page.
      type Sessions = { sessions: { id: string; current: boolean }[] }
      const { sessions } = await call<Sessions>(origin, token, 'query', 'sessions.list', {})
      expect(sessions[0]?.current).toBe(false)
      await call(origin, token, 'mutation', 'sessions.end', { id: sessions[0]?.id })
      await expect(page.getByText('Your session has ended.').first()).toBeVisible()
      await expect(reason(page)).toHaveValue(why)
      return page
    },
    says: 'Your session has ended.',
  },
} satisfies Record<string, State>
