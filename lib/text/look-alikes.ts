/** Letters of other alphabets, and the Latin ones that they look like, in the same order (Unicode Technical Standard 39). */
const foreign = 'аеорсухіјѕԁһԛԝѵӏАВЕЅІЈКМНОРСТХҮԌԚԜ' + 'ονρυιαΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ' + 'օսոցհքԼՍՏ' + 'ᎪᎢᎬᎻᎫᏞᏟᏢᏙ' + 'ɑɡ'
const latin = 'aeopcyxijsdhqwvlABESIJKMHOPCTXYGQW' + 'ovpuiaABEZHIKMNOPTYXcj' + 'ounghpLUS' + 'ATEHJLCPV' + 'ag'

const likeness: ReadonlyMap<string, string> = new Map(
  [...foreign].map((letter, index) => [letter, [...latin][index] ?? letter]),
)

const ascii = /^[\0-\x7f]*$/
const word = /[\p{L}\p{N}\p{M}]+/gu
const otherAlphabet = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u
const latinLetter = /[a-z]/i

/**
 * The characters of `text` that are not what they look like, by their index in UTF-16, with what they look like: letters of another
 * alphabet in a Latin word, words that consist only of such letters, and other forms of ASCII characters ("Ａ", "𝐀"). A text that
 * is really written in the other alphabet, such as "Счёт", has letters that look like no Latin one, and is not marked.
 */
export function lookAlikes(text: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  if (ascii.test(text)) return found
  const genuine = [...text].some((letter) => otherAlphabet.test(letter) && !likeness.has(letter))
  for (const match of text.matchAll(word)) {
    const mixed = latinLetter.test(match[0])
    let index = match.index
    for (const letter of match[0]) {
      const like = asciiFormOf(letter) ?? (mixed || !genuine ? likeness.get(letter) : undefined)
      if (like !== undefined) found.set(index, like)
      index += letter.length
    }
  }
  return found
}

/** For letters and digits in another form. Superscripts and subscripts are visibly different. */
function asciiFormOf(letter: string): string | undefined {
  if (letter <= '\x7f' || /[²³¹⁰-₎ªº\p{Lm}]/u.test(letter)) return undefined
  const plain = letter.normalize('NFKC')
  return /^[A-Za-z0-9]$/.test(plain) ? plain : undefined
}
