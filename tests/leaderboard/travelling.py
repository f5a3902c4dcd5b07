"""An engine whose jobs, items and results travel as to another process, which no test has to start."""

import pickle

import cloudpickle

from agbench.running.engines import Here


def there(content):
    """Return what another process reads of an object."""
    return pickle.loads(cloudpickle.dumps(content))


class Travelling(Here):
    """Two workers that know nothing but what was sent; the last item is done first."""

    workers = 2

    def __init__(self, is_here=True):
        self.is_here = is_here
        """Whether the workers write files where the sender sees them."""

    def run(self, work, items):
        files = {path: path for path in work.files()}
        functions = [there(work).prepare(files) for _ in range(self.workers)]
        numbered = list(enumerate(items))
        for number, item in reversed(numbered):
            yield number, there(functions[number % self.workers](there(item)))
