import { ArrayWriter } from '#server/kernel/db/binary-array.ts'
import type { TenantSealer } from '#server/kernel/keys/tenant-keys.ts'
import { nameable, type WrittenColumns } from './batch-store.ts'
import { type SpanToWrite, writeSpan } from './write-span.ts'

/** What a batch's spans hold, written into the columns of one statement as they come. */
export class BatchColumns {
  readonly #attributes = new ArrayWriter('jsonb')
  readonly #events = new ArrayWriter('jsonb')
  readonly #facts = new ArrayWriter('jsonb')
  readonly #sealed = new ArrayWriter('bytea')
  readonly #leaves: string[] = []

  /** Gives the name under which the span is recorded. */
  add(sealer: TenantSealer, span: SpanToWrite): string {
    const name = nameable(span.name)
    const { attributes, events, facts, sealed, leaf } = writeSpan(sealer, name === span.name ? span : { ...span, name })
    this.#attributes.json(attributes)
    this.#events.json(events)
    this.#facts.json(facts)
    this.#sealed.bytes(sealed)
    this.#leaves.push(leaf)
    return name
  }

  /** Hashes of the leaves of those that are wanted, one after the other. */
  leavesOf(wanted: readonly boolean[]): Buffer {
    const leaves = this.#leaves.filter((_, index) => wanted[index])
    return Buffer.from(leaves.join(''), 'binary')
  }

  written(): WrittenColumns {
    return {
      attributes: this.#attributes.done(),
      events: this.#events.done(),
      facts: this.#facts.done(),
      sealed: this.#sealed.done(),
    }
  }
}
