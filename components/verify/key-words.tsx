import type { ReactNode } from 'react'
import * as t from '#components/texts/verify/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { wordsOf } from '#lib/verify/fingerprint/words.ts'

/** A key's fingerprint as twelve numbered words, which two people can read to each other, and in full. */
export function KeyWords({ fingerprint, children }: { fingerprint: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="max-w-[75ch] text-ink-2">{children}</p>
      <ol aria-label={t.keyTitle} className="grid max-w-160 grid-cols-3 gap-1.5 narrow:grid-cols-6">
        {wordsOf(fingerprint).map((word, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a word may occur twice, and its place is its identity.
            key={index}
            className="border border-line-strong bg-raised px-2 py-1 text-center font-semibold"
          >
            {word}
          </li>
        ))}
      </ol>
      <p className="flex flex-wrap items-center gap-x-1.5 text-dense text-ink-2">
        SHA-256 <Copyable value={fingerprint} label={t.keyFingerprint} />
      </p>
    </div>
  )
}
