import { ArrayWriter } from '#server/kernel/db/binary-array.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { resourceContext } from '#server/traces/encryption/encrypt-span.ts'
import { nameable, type ResourceRow, type WrittenColumns } from './batch-store.ts'
import { type SpanToWrite, type WrittenAttribute, writeResource, writeSpan } from './write-span.ts'

/** A span with its resource: spans with the same resource share a list. */
export type SpanOfBatch = SpanToWrite & { resource: readonly WrittenAttribute[] }

/** The values of a batch's spans, written into the columns of one statement as the spans arrive. */
export class BatchColumns {
  readonly #attributes = new ArrayWriter('jsonb')
  readonly #events = new ArrayWriter('jsonb')
  readonly #links = new ArrayWriter('jsonb')
  readonly #facts = new ArrayWriter('jsonb')
  readonly #sealed = new ArrayWriter('bytea')
  readonly #leaves: string[] = []
  readonly #resources = new Map<readonly WrittenAttribute[], ResourceRow & { hash: string }>()
  readonly #cipher: TenantCipher
  readonly #auditId: string

  constructor(cipher: TenantCipher, auditId: string) {
    this.#cipher = cipher
    this.#auditId = auditId
  }

  /** Returns the recorded name of the span, and the index of its resource, or null without one. */
  add(span: SpanOfBatch): { name: string; resource: number | null } {
    const name = nameable(span.name)
    const resource = span.resource.length === 0 ? undefined : this.#resource(span.resource)
    const named = name === span.name ? span : { ...span, name }
    const { attributes, events, links, facts, sealed, leaf } = writeSpan(this.#cipher, named, resource?.hash)
    this.#attributes.json(attributes)
    this.#events.json(events)
    this.#links.json(links)
    this.#facts.json(facts)
    this.#sealed.bytes(sealed)
    this.#leaves.push(leaf)
    return { name, resource: resource?.index ?? null }
  }

  #resource(attributes: readonly WrittenAttribute[]): ResourceRow & { hash: string } {
    const known = this.#resources.get(attributes)
    if (known !== undefined) return known
    const index = this.#resources.size
    const made = { index, ...writeResource(this.#cipher, attributes, resourceContext(this.#auditId, index)) }
    this.#resources.set(attributes, made)
    return made
  }

  /** Returns the concatenated leaf hashes of the wanted spans. */
  leavesOf(wanted: readonly boolean[]): Buffer {
    return Buffer.from(this.#leaves.filter((_, index) => wanted[index]).join(''), 'binary')
  }

  /** Returns the resources in `used`. */
  resourcesOf(used: ReadonlySet<number | null>): ResourceRow[] {
    return [...this.#resources.values()].filter(({ index }) => used.has(index))
  }

  written(): WrittenColumns {
    return {
      attributes: this.#attributes.done(),
      events: this.#events.done(),
      links: this.#links.done(),
      facts: this.#facts.done(),
      sealed: this.#sealed.done(),
    }
  }
}
