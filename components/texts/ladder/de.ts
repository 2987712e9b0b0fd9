import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  reachesSignedRoot: 'Von {from} aus kommt dieser Browser zur signierten Wurzel.',
  reachesOtherRoot: 'Von {from} aus kommt dieser Browser zu einer anderen Wurzel als der signierten.',
  itReachesCopyableEither:
    'Er kommt zu <copyable>copyable</copyable>. Entweder der Ausgangspunkt oder der Weg weicht vom Protokoll ab.',
  leafOf: '{of, select, day {Das Blatt des Tages} other {Das Blatt des Eintrags}}',
  step: 'Schritt {step}, mit dem Geschwister {side, select, right {rechts} other {links}}',
  resultOf: 'Ergebnis von Schritt {step}',
  rootLabel: 'Wurzel',
  thisLeaf: '{of, select, day {dieser Tag} other {dieser Eintrag}}',
  computed: 'berechnet',
  given: 'gegeben',
  computedRoot: 'berechnete Wurzel',
  leafHash: 'Hash des Blatts',
}
