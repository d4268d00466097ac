// Boost.Graph's transitive reduction of the graph on standard input: "n m", then "u v" for each edge.
// Prints the median milliseconds of processor time of up to 31 runs, within a second where there are several, and the
// edges kept. A run begins with the edge list and ends with the reduced graph, as a caller has to use it.

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/transitive_reduction.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

static std::size_t reduce(std::size_t node_count, const std::vector<std::pair<unsigned, unsigned>> &edges) {
  const Graph graph(edges.begin(), edges.end(), node_count);
  Graph reduction;
  std::vector<Graph::vertex_descriptor> nodes(node_count);
  const auto index = get(boost::vertex_index, graph);
  boost::transitive_reduction(graph, reduction, boost::make_iterator_property_map(nodes.begin(), index), index);
  return num_edges(reduction);
}

int main() {
  std::size_t node_count, edge_count;
  if (std::scanf("%zu %zu", &node_count, &edge_count) != 2) return 1;
  std::vector<std::pair<unsigned, unsigned>> edges(edge_count);
  for (auto &edge : edges) {
    if (std::scanf("%u %u", &edge.first, &edge.second) != 2) return 1;
  }
  std::vector<double> times;
  std::size_t kept = 0;
  for (double sum = 0; times.size() < 31 && sum < 1e3; sum += times.back()) {
    const std::clock_t begin = std::clock();
    kept = reduce(node_count, edges);
    times.push_back(double(std::clock() - begin) * 1e3 / CLOCKS_PER_SEC);
  }
  std::sort(times.begin(), times.end());
  std::printf("%.6f %zu\n", times[times.size() / 2], kept);
}
