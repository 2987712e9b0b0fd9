import type { ReactNode } from 'react'
import { ShownText } from '#components/ui/text/shown-text.tsx'

/** Draws a part of a message that a stranger may have written. */
export const shownText = (content: ReactNode): ReactNode => <ShownText>{String(content)}</ShownText>
