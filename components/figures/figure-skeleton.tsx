import * as t from '#components/texts/home/en.ts'
import { FigureRow } from './figure.tsx'

/** Figures that are being loaded, as large as they will be; appears after 150 ms. */
export function FigureSkeleton({ figures }: { figures: number }) {
  return (
    <div role="status" className="appear-late">
      <span className="sr-only">{t.loadingFigures}</span>
      <FigureRow>
        {Array.from({ length: figures }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the figures are alike and never move.
          <div key={index} aria-hidden="true" className="flex h-41 flex-col gap-3 px-2 py-3.5 rail:px-4">
            <div className="h-3 w-1/3 bg-selected" />
            <div className="h-5 w-1/4 bg-selected" />
            <div className="h-10 w-full bg-selected" />
            <div className="h-2.5 w-full bg-selected" />
          </div>
        ))}
      </FigureRow>
    </div>
  )
}
