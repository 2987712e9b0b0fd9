import { ShownText } from '#components/ui/text/shown-text.tsx'

/** "Anna, Ben and Cleo". */
export function Names({ children }: { children: string[] }) {
  return children.map((name, index) => (
    <span key={name}>
      {index > 0 && (index === children.length - 1 ? ' and ' : ', ')}
      <ShownText>{name}</ShownText>
    </span>
  ))
}
