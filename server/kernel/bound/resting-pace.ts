import { setTimeout } from 'node:timers/promises'

/** Rests this many times as long as it has worked. */
const restsPerWork = 4

/** Work in the background that leaves most of the time to others: `await pace.rest()` between its pieces. */
export class RestingPace {
  readonly #signal: AbortSignal | undefined
  #since = performance.now()

  /** `signal`: the work ends early. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  isStopped(): boolean {
    return this.#signal?.aborted === true
  }

  /** Waits four times as long as the work since the last rest took, unless the work ends. */
  async rest(): Promise<void> {
    const worked = performance.now() - this.#since
    await setTimeout(worked * restsPerWork, undefined, { signal: this.#signal }).catch((error: unknown) => {
      if (!this.isStopped()) throw error
    })
    this.#since = performance.now()
  }
}
