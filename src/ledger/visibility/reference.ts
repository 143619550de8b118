/** What a filter names a template or an interface by. */
export interface TypeReference {
  /** A name stands for all versions of a package. */
  readonly package: { readonly by: 'name' | 'id'; readonly value: string }
  /** `Module.Path:Entity` */
  readonly entity: string
}

const name = '[A-Za-z0-9_-]+'
const dotted = '[A-Za-z$_][\\w$]*(?:\\.[A-Za-z$_][\\w$]*)*'
const written = new RegExp(`^(?:#(${name})|([0-9a-f]{64})):(${dotted}:${dotted})$`)

/** Reads `#package-name:Module.Path:Entity`, or the same with a package id in place of `#package-name`. */
export function tryReference(text: string): TypeReference | undefined {
  const match = written.exec(text)
  if (match === null) return undefined
  const [, packageName, packageId = '', entity = ''] = match
  const of = packageName === undefined ? { by: 'id', value: packageId } : { by: 'name', value: packageName }
  return { package: of as TypeReference['package'], entity }
}

/** As `tryReference` reads it. */
export function referenceText({ package: { by, value }, entity }: TypeReference): string {
  return `${by === 'name' ? '#' : ''}${value}:${entity}`
}
