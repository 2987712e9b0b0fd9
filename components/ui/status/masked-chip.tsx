import { Lock } from 'lucide-react'

/** A value that this reader may not see: a lock and the value's shape ("164 characters", "ends 41"), never a blur. */
export function MaskedChip({ shape }: { shape: string }) {
  return (
    <span className="inline-flex min-h-6 items-center gap-1.5 bg-mask-soft px-1.5 font-mono text-dense text-mask">
      <Lock aria-hidden="true" className="size-3 shrink-0" />
      <span>Masked, {shape}</span>
    </span>
  )
}
