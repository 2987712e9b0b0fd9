import * as t from '#components/texts/ui/en.ts'
import { EraserIcon } from './icons.tsx'

/** Replaces a text that was erased permanently. */
export function ErasedTag() {
  return (
    <span className="inline-flex min-h-6 items-center gap-1.5 border border-line-strong border-dashed px-1.5 text-dense text-ink-2">
      <EraserIcon size="size-3" />
      <span>{t.erased}</span>
    </span>
  )
}
