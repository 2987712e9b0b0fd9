import { type Result, resultOf } from './result.ts'

/** How long to wait for one answer, in milliseconds. */
const answerTimeoutMs = 20_000

export type SendOptions = { context: { idempotencyKey: string }; signal: AbortSignal }

/** Sends one request for each item, one after the other, and reports what became of each. A lost answer does not stop the others. */
export async function sendEach<Item>(
  items: readonly Item[],
  send: (item: Item, options: SendOptions) => Promise<unknown>,
  settle: (item: Item, result: Result) => void,
): Promise<void> {
  for (const item of items) {
    settle(item, { is: 'sending' })
    const options = { context: { idempotencyKey: crypto.randomUUID() }, signal: AbortSignal.timeout(answerTimeoutMs) }
    settle(
      item,
      await send(item, options).then(
        (): Result => ({ is: 'recorded' }),
        (error: unknown): Result => resultOf(error),
      ),
    )
  }
}
