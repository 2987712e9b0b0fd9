import { listParts } from '#components/language/formats.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'

/** "Anna, Ben and Cleo". */
export function Names({ children }: { children: string[] }) {
  return listParts(children).map(({ isName, text }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a name may occur twice, and so does what separates them.
    isName ? <ShownText key={index}>{text}</ShownText> : text,
  )
}
