import { Start } from './start.tsx'

export default function StartPage() {
  return <Start />
}
