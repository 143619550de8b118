import { registerHooks } from 'node:module'

const loaded = new Set<string>()
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(resolved.url)?.[1]
    if (name !== undefined) loaded.add(name)
    return resolved
  },
})

/** Imported ahead of a program: at its end its standard error has the packages that it loaded, one a line. */
process.on('exit', () => process.stderr.write([...loaded].map((name) => `loaded ${name}\n`).join('')))
