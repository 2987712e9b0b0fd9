/** Attributes with inputs and outputs, as named by the semantic conventions that Countersign understands. */
const INPUT = /(^|\.)(input|inputs|prompt|prompts|arguments|input_messages|input\.messages|input\.value)$/
const OUTPUT = /(^|\.)(output|outputs|completion|result|response|output_messages|output\.messages|output\.value)$/

export const isInput = ({ key }: { key: string }): boolean => INPUT.test(key)
export const isOutput = ({ key }: { key: string }): boolean => OUTPUT.test(key)

/** In place of a digest: at least one of the values is masked or removed, so they are not compared. */
export const hiddenContent = 'hidden'
