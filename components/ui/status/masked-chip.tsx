import * as t from '#components/texts/ui/en.ts'
import { LockIcon } from './icons.tsx'

/** A value that this reader may not see: a lock and the value's shape ("164 characters", "ends 41"), never a blur. */
export function MaskedChip({ shape }: { shape: string }) {
  return (
    <span className="inline-flex min-h-6 items-center gap-1.5 bg-mask-soft px-1.5 font-mono text-dense text-mask">
      <LockIcon size="size-3" />
      <span>{t.masked({ shape })}</span>
    </span>
  )
}
