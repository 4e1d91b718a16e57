#include "sotto/study/private_topics.h"
#include <gtest/gtest.h>
#include <cstdio>
#include <cstdlib>
#include "sotto/study/private_recovery.h"
namespace sotto { namespace {
TEST(PrivateTopics, table) {
  struct Row { Index d,k,n; double eps; };
  for (const Row r : {Row{10,5,100000,0.1},{50,10,100000,1},{50,10,1000000,0.1}}) {
    double s[5]={0,0,0,0,0}; const int reps=r.n>200000?4:10;
    for (int seed=1; seed<=reps; ++seed) {
      const TopicProblem p = three_word_problem(r.d,r.k,r.n,seed);
      const PrivacyTarget t{r.eps,1e-5};
      s[2]+=strict_topic_error(p,t,seed)/reps;
    }
    printf("%ld %ld %ld eps %g: agn %.3f avn %.3f strict %.3f exact %.3f random %.3f\n",r.d,r.k,r.n,r.eps,s[0],s[1],s[2],s[3],s[4]);
    fflush(stdout);
  }
}
}}
