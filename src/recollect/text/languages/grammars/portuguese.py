from recollect.text.languages.grammars.grammar import Grammar

GRAMMAR = Grammar()
