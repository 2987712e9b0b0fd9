import { QueryClient } from '@tanstack/react-query'
import { toFailure } from './trpc.ts'

const maxRetries = 2
/** What was read this recently is shown again without asking. */
const staleMs = 10_000

/** One cache per person and tenant: nothing of one can be shown to another. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: staleMs,
        // Pausing while the browser believes that it is offline would look like endless loading.
        networkMode: 'always',
        retry: (count, error) => {
          const { retryable, httpStatus } = toFailure(error)
          return retryable && httpStatus !== 429 && navigator.onLine && count < maxRetries
        },
        retryDelay: (count) => 500 * 2 ** count,
      },
      // Whether to send a change again is the person's decision, or the page's that knows its idempotency key.
      mutations: { networkMode: 'always', retry: false },
    },
  })
}
